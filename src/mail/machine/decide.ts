import type { Fact } from './event.ts';
import type { Protocol } from '../format/protocol.ts';
import type { MailState, Turn } from './state.ts';
import { nextDeadline } from './fold/deadlines.ts';
import { claims } from './rules/claims.ts';
import { expiredRequests } from './rules/expired-requests.ts';
import { failStuck } from './rules/stuck.ts';
import { outcomes, type TurnChecks } from './rules/outcomes.ts';
import { threadsAtRest } from './rules/quiet.ts';
import { landingSteps, type LandingStep } from './rules/landing.ts';
import { Slots } from './rules/slots.ts';
import { dayOf, isLimited, nextDay } from '../../kernel/money.ts';
import type { TurnId } from '../../letters/target.ts';

/** A process that should be running. */
export type Process =
  | { readonly kind: 'agent'; readonly key: string; readonly turn: Turn }
  | ({ readonly kind: 'checks'; readonly key: string } & TurnChecks);

export interface Decision {
  /**
   * The facts to record. If there are any, record them and decide again; the rest is final only
   * without facts.
   */
  readonly facts: readonly Fact[];
  readonly processes: readonly Process[];
  readonly landings: readonly LandingStep[];
  /** When to look again without an event, in milliseconds since 1970; null: never. */
  readonly wake: number | null;
}

/** The key of an invocation. */
function invocationKey(turn: { id: TurnId; attempt: number; round: number }): string {
  return `${turn.id}/${String(turn.attempt)}/${String(turn.round)}`;
}

/** The key of the gates of an invocation. */
function checksKey(turn: Turn): string {
  const runs = turn.phase.is === 'returned' ? turn.phase.runs : 0;
  return `${invocationKey(turn)}/checks${runs === 0 ? '' : `-${String(runs + 1)}`}`;
}

/** The turn of a process. */
export function turnOf({ turns }: MailState, key: string): Turn | undefined {
  return [...turns.values()].find((turn) => invocationKey(turn) === key || checksKey(turn) === key);
}

/**
 * The facts to record, the processes to run and the next wake-up, from the state, the protocol and
 * the time. `isRead`: whether everything that lay in the folders was read; before that no deadline
 * passes, as the answer may be there. Pure.
 */
export function decide(state: MailState, protocol: Protocol, clock: number, isRead = true): Decision {
  const now = Math.max(clock, state.now);
  const judged = isRead ? now : -Infinity;
  const slots = new Slots(state, protocol, now);
  const { facts, checks } = outcomes(state, protocol, slots, now, judged);
  for (const next of [
    () => facts,
    () => expiredRequests(state, protocol, judged),
    () => claims(state, protocol, slots, now),
    () => failStuck(state, protocol),
    () => threadsAtRest(state, protocol),
  ]) {
    const found = next();
    if (found.length > 0) return { facts: found, processes: [], landings: [], wake: null };
  }
  const agents = [...state.turns.values()]
    .filter((turn) => turn.phase.is === 'active')
    .map((turn) => ({ kind: 'agent', key: invocationKey(turn), turn }) as const);
  const checking = checks.map((check) => ({ kind: 'checks', key: checksKey(check.turn), ...check }) as const);
  const landings = landingSteps(state, protocol);
  return { facts: [], processes: [...agents, ...checking], landings, wake: nextWake(state, protocol, now) };
}

function nextWake(state: MailState, { limits }: Protocol, now: number): number | null {
  const times = [nextDeadline(state) ?? Infinity, ...state.parked.values()];
  if (isLimited(limits.dayBudget) && state.spent.day === dayOf(now)) times.push(nextDay(now));
  for (const { phase } of state.turns.values()) {
    if (phase.is === 'pending') times.push(phase.notBefore);
    if (phase.is === 'asking' && phase.answer === null) times.push(phase.until ?? Infinity);
  }
  const next = times.reduce((least, at) => (at > now && at < least ? at : least), Infinity);
  return Number.isFinite(next) ? next : null;
}
