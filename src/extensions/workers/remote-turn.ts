import { basename, join } from 'node:path';
import type { Usage } from '../../kernel/cost.ts';
import type { Read } from '../../letters/letters.ts';
import { readRemoteTurn, type RemoteEnd, type RemoteTurn } from './letters/remote-turn.ts';
import { notStarted } from '../../process/exits.ts';
import { credibleOutcome } from '../../providers/credible-usage.ts';
import type { Outcome } from '../../providers/provider.ts';
import { mostBytes, type JobName } from './queue/channel.ts';
import type { Ended } from '../../host/runner/agents.ts';
import type { TravellingTurn } from '../../git/travel.ts';
import type { AgentJob } from '../../host/runner/runner.ts';
import type { Travel } from './travel.ts';

/**
 * How long a worker that is not heard keeps a turn, in milliseconds: one that was away for shorter
 * than the lease has had time to come back and say so.
 */
export function keptFor(lease: number): number {
  return lease + 3_000;
}

const nothing: Usage = { usd: 0, tokens: 0 };

/** What a job has used that a worker may have run, and has not reported. */
export function unreportedUsage({ program }: AgentJob): Usage {
  return program === undefined ? { usd: null, tokens: null } : nothing;
}

/** Why something is not sent through the queue. `what`: `the turn`. */
export function tooLarge(what: string, bytes: number): string {
  return `${what} has ${String(bytes)} bytes, and the queue carries at most ${String(mostBytes)}`;
}

/** Where the content of a checkout lies in the shared repository, before and after a turn. */
export function refsOf({ id }: JobName): Readonly<Record<(typeof refNames)[number], string>> {
  const ref = `refs/mailroom/turns/${id}`;
  return {
    beginRef: `${ref}/begin`,
    endRef: `${ref}/end`,
    carriedRef: `${ref}/carried`,
    broughtRef: `${ref}/brought`,
  };
}

/** Of its checkout before and after, and of the files that travel besides. */
const refNames = ['beginRef', 'endRef', 'carriedRef', 'broughtRef'] as const;

/** The id of a job, which is never used again: the same turns of two projects have others. */
export function jobIdOf({ thread, turn, attempt, round }: AgentJob['invocation'], chance: string): string {
  return [thread, turn, attempt, round, chance].join('.');
}

/** The run, or the thread, of a job. */
export function runIn(id: string): string {
  return id.split('.', 1)[0] ?? '';
}

/** The id of one start of a worker, which begins with the name that the controller admitted. */
export function workerIdOf(name: string, chance: string): string {
  return `${name}.${chance}`;
}

/** Whether a worker of this name has that id. */
export function isIdOf(id: string, name: string | null): boolean {
  return name !== null && id.startsWith(workerIdOf(name, ''));
}

/** What a job runs: `turn/attempt/round`; of a run, the step instead of a turn. */
export function turnIn(id: string): string {
  const [thread = '', turn = '', ...rest] = id.split('.');
  const name = turn.startsWith(`${thread}-`) ? turn.slice(thread.length + 1) : turn;
  return [name, ...rest.slice(0, 2)].join('/');
}

/** A turn as a worker reads it, with the files of its messages. */
export function remoteTurnOf(
  job: AgentJob,
  prepared: Pick<RemoteTurn, 'version' | 'queue' | 'begin' | 'carried'>,
  read: (path: string) => string,
): Read<RemoteTurn> {
  const { invocation, on, secrets = [], files = null } = job;
  return readRemoteTurn({
    ...prepared,
    role: turnOf(job)?.role ?? invocation.role,
    labels: on?.labels ?? [],
    secrets,
    files,
    messages: invocation.paths.messages.map((path) => ({ name: basename(path), text: read(path) })),
    job,
  });
}

/** How a turn ended on a worker, as if it had ended here. */
export function endedBy(
  { invocation }: AgentJob,
  { outcome, exit, changed, worker }: RemoteEnd,
  difference: string | null,
): Ended {
  const { workspace, project } = invocation;
  const folders = { workspace, project };
  return [
    credibleOutcome({ ...outcome, session: null }, invocation, worker.host),
    { ...exit, edits: null },
    new Map(changed.map(({ folder, changes }) => [folders[folder], changes])),
    difference,
  ];
}

/** A turn of which nothing is taken, although its worker ran it. */
export function refused({ invocation }: AgentJob, { outcome, worker }: RemoteEnd, why: string): Ended {
  const [ended, ...rest] = later(why, outcome.usage);
  return [credibleOutcome(ended, invocation, worker.host), ...rest];
}

/** A turn that no worker ran to its end. `usage`: of its agent, as far as it is known. */
export function later(text: string, usage = nothing): Ended {
  return failedBy({ is: 'later', class: 'RETRYABLE_TRANSIENT', until: null, ...because(text, usage) });
}

/** A turn that no worker can run. */
export function never(text: string): Ended {
  return failedBy({ is: 'never', ...because(text, nothing) });
}

/** The end of a turn that is not wanted any more, or that this host leaves. */
export const stopped: Ended = never('it was stopped');

function because(text: string, usage: Usage) {
  return { reason: { code: 'E_WORKER', text }, usage, session: null } as const;
}

function failedBy(outcome: Exclude<Outcome, { is: 'done' }>): Ended {
  return [outcome, notStarted(outcome.reason.text), new Map(), null];
}

/** Whose checkout travels; null: it has none of its own. */
export function turnOf({ entering, entered }: AgentJob): TravellingTurn | null {
  return entering ?? entered ?? null;
}

/** What the agent left goes where an agent of this host would have left it. */
export function writeEnd(
  travel: Travel,
  { invocation: { paths } }: AgentJob,
  { staged, exit }: RemoteEnd,
): void {
  travel.write(paths.stdout, exit.stdout);
  travel.write(paths.stderr, exit.stderr);
  for (const { name, content } of staged) {
    const text = content.ok ? content.text : `The worker could not read this file: ${content.problem}\n`;
    travel.write(join(paths.outbox, name), text);
  }
}
