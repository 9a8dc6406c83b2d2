import { listed } from '../../../kernel/enumerate.ts';
import { isQueued } from '../../../kernel/launched.ts';
import { because } from '../../../kernel/why.ts';
import type { SeenWorker } from '../../../letters/seen-workers.ts';
import type { Role } from '../../format/protocol.ts';
import type { Phase, Turn } from '../state.ts';
import { turnWords } from './holds.ts';
import { causedBy, type MailWhy } from './words.ts';

/** The workers, as a controller has seen them last; null: they are not known. */
export type Workers = readonly SeenWorker[] | null;

export const notKnown: Workers = null;

/** Why an active turn has not ended. `role` undefined: it was removed from the protocol. */
export function activeWhy(
  turn: Turn,
  { launched, worker }: Extract<Phase, { is: 'active' }>,
  role: Role | undefined,
  workers: Workers,
  now: number,
): MailWhy {
  const cause = causedBy(turn);
  if (worker === null && isQueued(launched)) return { ...waitingWhy(turn, role, workers, now), cause };
  const on = worker === null ? '' : ` on ${worker.host}`;
  const seen = worker === null ? null : workers?.find(({ id }) => id === worker.id);
  if (seen?.state === 'silent')
    return because(
      'worker_silent',
      `${turnWords(turn)} is with the worker on ${seen.host}, which is silent: after the lease it starts again`,
      { cause: { record: turn.id, at: Date.parse(seen.lastSeen) } },
    );
  return because('running', `${turn.role} works in turn ${turn.id}${on}`, { cause });
}

/** Until when a login does not use this provider, in milliseconds since 1970; 0: it does. */
function limitOf(parked: SeenWorker['parked'], provider: string): number {
  return Date.parse(parked.find((one) => one.provider === provider)?.until ?? '') || 0;
}

/** A turn in the queue, which no worker has begun. */
function waitingWhy(turn: Turn, role: Role | undefined, workers: Workers, now: number): MailWhy {
  const code = 'waiting_for_worker';
  const labels = role?.on?.labels ?? [];
  const needs = labels.length === 0 ? '' : ` with the labels ${listed(labels)}`;
  const able = (workers ?? []).filter(
    (worker) =>
      worker.state !== 'silent' &&
      worker.roles.includes(turn.role) &&
      labels.every((label) => worker.labels.includes(label)),
  );
  if (workers !== null && able.length === 0)
    return because(code, `no worker${needs} takes turns of ${turn.role}`, {
      act: { do: 'work', role: turn.role, labels },
    });
  const active = able.filter(({ state }) => state === 'active');
  const [held] = able;
  if (active.length === 0 && held !== undefined) {
    const act = held.state === 'paused' ? ({ do: 'unpause-worker', host: held.host } as const) : null;
    return because(code, `the worker on ${held.host} is ${held.state}, and takes no turns of ${turn.role}`, {
      act,
    });
  }
  const limits = active.map(({ parked }) => limitOf(parked, turn.provider));
  const until = Math.min(...limits);
  if (active.length > 0 && until > now)
    return because(
      'usage_limit',
      `${turn.provider} is rate limited for all logins of these workers${needs}`,
      {
        until,
      },
    );
  const slots = active.reduce((sum, worker) => sum + worker.slots, 0);
  const taken = active.length > 0 && active.every((worker) => worker.running.length >= worker.slots);
  if (taken)
    return because(code, `the workers${needs} of ${turn.role} have no free slot of ${String(slots)}`);
  return because(code, `${turnWords(turn)} waits for a worker${needs}`);
}
