import type { Fact, TurnId } from './event.ts';
import type { Protocol } from './protocol.ts';
import type { MailState, Turn } from './state.ts';
import { claims } from './rules/claims.ts';
import { ends } from './rules/ends.ts';
import { failStuck } from './rules/liveness.ts';
import { outcomes, type GateCheck } from './rules/outcomes.ts';
import { quieted } from './rules/quiet.ts';
import { Slots } from './rules/slots.ts';
import { Waiting } from './rules/waiting.ts';

/** A process that should be running. */
export type Process =
  | { readonly kind: 'agent'; readonly key: string; readonly turn: Turn }
  | ({ readonly kind: 'gates'; readonly key: string } & GateCheck);

export interface Decision {
  /** What is to be recorded. With any fact, decide again after recording it; `processes` counts when there is none. */
  readonly facts: readonly Fact[];
  readonly processes: readonly Process[];
  /** When to look again although nothing happened; null: never. Milliseconds since 1970. */
  readonly wake: number | null;
}

/** The key of an invocation. */
export function invocationKey(turn: { id: TurnId; attempt: number; round: number }): string {
  return `${turn.id}/${String(turn.attempt)}/${String(turn.round)}`;
}

/** What is true, what is to run and when to look again, given the state, the protocol and the time. Pure. */
export function decide(state: MailState, protocol: Protocol, now: number): Decision {
  const slots = new Slots(state, protocol, now);
  const due = ends(state, protocol, now);
  const { facts: settled, gates } = outcomes(state, protocol, slots, now);
  if (due.length > 0 || settled.length > 0) return { facts: [...due, ...settled], processes: [], wake: null };
  const waiting = new Waiting(state);
  const started = claims(state, protocol, slots, waiting, now);
  if (started.length > 0) return { facts: started, processes: [], wake: null };
  const ended = [...failStuck(state, protocol, waiting), ...quieted(state, protocol)];
  if (ended.length > 0) return { facts: ended, processes: [], wake: null };
  const agents = [...state.turns.values()]
    .filter((turn) => turn.phase.is === 'active')
    .map((turn) => ({ kind: 'agent', key: invocationKey(turn), turn }) as const);
  const checks = gates.map(
    (check) => ({ kind: 'gates', key: `${invocationKey(check.turn)}/gates`, ...check }) as const,
  );
  return { facts: [], processes: [...agents, ...checks], wake: nextWake(state, now) };
}

function nextWake(state: MailState, now: number): number | null {
  const instants = [...state.deadlines.values(), ...state.parked.values()];
  for (const { phase } of state.turns.values()) if (phase.is === 'pending') instants.push(phase.notBefore);
  const next = instants.reduce((least, at) => (at > now && at < least ? at : least), Infinity);
  return Number.isFinite(next) ? next : null;
}
