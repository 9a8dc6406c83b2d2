import type { Fact, Sent } from '../event.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { MailState, Phase, Turn } from '../state.ts';
import type { Landing } from '../landing.ts';
import { judge, type CheckOf } from './judge.ts';
import { pausedThread } from './slots.ts';
import { withWork } from './work.ts';

type LandingTurn = Turn & { readonly phase: Extract<Phase, { is: 'landing' }> };

/** What the host should do for a landing now. */
export type LandingStep = { readonly landing: Landing } & (
  | {
      readonly do: 'check';
      /** What is checked again where other work came in between. */
      readonly checks: readonly CheckOf[];
      /** The subject of the message. */
      readonly title: string;
    }
  /** `settle`: its turn was abandoned, and the branch may have moved before. */
  | { readonly do: 'swap' | 'settle'; readonly onto: string; readonly result: string }
);

/** The place in a queue that a turn takes before its messages are delivered; null: none is due. */
export function queuedLanding(
  state: MailState,
  protocol: Protocol,
  { id, thread, attempt, round, left, entered }: Turn,
  sent: readonly Sent[],
): Fact | null {
  const commit = left ?? entered;
  if (commit === null || state.threads.get(thread)?.state !== 'open') return null;
  for (const { message } of sent) {
    const lands = protocol.types.get(message.type)?.lands ?? null;
    if (lands !== null)
      return { type: 'landing-queued', turn: id, attempt, round, message: message.id, commit, lands };
  }
  return null;
}

/** The delivery of a turn whose work has landed; null: it has not. */
export function landedDelivery(state: MailState, protocol: Protocol, turn: LandingTurn): Fact | null {
  const landing = state.landings.get(turn.id);
  if (landing?.phase.is !== 'landed') return null;
  const { id, attempt, round } = turn;
  const judgement = judge(state, protocol, returned(turn));
  if (!judgement.ok)
    return { type: 'landing-refused', turn: id, attempt, round, problems: judgement.problems };
  return { type: 'committed', turn: id, sent: withWork(turn, judgement.sent, landing) };
}

function returned({ phase: { since, result }, ...turn }: LandingTurn) {
  return { ...turn, phase: { is: 'returned', since, result, checks: [], met: [], runs: 0 } } as const;
}

/** The first landing of each branch that is not held back. */
export function landingSteps(state: MailState, protocol: Protocol): LandingStep[] {
  const landings = [...state.landings.values()];
  const steps = landings.flatMap((landing): LandingStep[] => {
    const { phase, turn } = landing;
    if (phase.is !== 'checked') return [];
    return [{ ...phase, landing, do: state.turns.has(turn) ? 'swap' : 'settle' }];
  });
  const busy = new Set(steps.map(({ landing }) => landing.lands.branch));
  for (const landing of landings) {
    const { branch } = landing.lands;
    const turn = state.turns.get(landing.turn);
    if (landing.phase.is !== 'queued' || busy.has(branch) || isPaused(state, landing)) continue;
    if (turn?.phase.is !== 'landing') continue;
    busy.add(branch);
    const judgement = judge(state, protocol, returned({ ...turn, phase: turn.phase }));
    const checks = judgement.ok ? judgement.checks : [];
    const title = judgement.ok ? titleOf(judgement.sent, landing) : '';
    steps.push({ landing, do: 'check', checks: checks.filter(({ check }) => check.kind === 'run'), title });
  }
  return steps;
}

function titleOf(sent: readonly Sent[], landing: Landing): string {
  return sent.find(({ message }) => message.id === landing.message)?.message.subject ?? '';
}

function isPaused(state: MailState, { role, thread }: Landing): boolean {
  const { all, roles } = state.paused;
  return all !== null || roles.has(role) || pausedThread(state, thread) !== null;
}

/** Names a step for its process: another one for every try. */
export function landingKey({ landing, do: what }: LandingStep): string {
  const { turn, attempt, round, asked, missed } = landing;
  return [turn, attempt, round, 'landing', asked, missed, what].join('/');
}
