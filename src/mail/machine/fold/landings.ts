import type { AtInvocation, Happening } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { Landing, MailState } from '../state.ts';
import { changeTurn, current } from './turns.ts';
import type { TurnId } from '../../../letters/target.ts';

type LandingEvent = Extract<Happening<Message>, { type: `landing-${string}` | 'landed' }>;

/** Applies an event about the landing of a turn's work; false if it is about an earlier one. */
export function landing(state: MailState, event: LandingEvent): boolean {
  if (event.type === 'landing-queued') return queue(state, event);
  const known = currentLanding(state, event);
  if (!known) return false;
  switch (event.type) {
    case 'landing-checked': {
      const { onto, result } = event;
      if (known.phase.is !== 'queued') return false;
      return change(state, known, { blocked: null, phase: { is: 'checked', onto, result } });
    }
    case 'landing-blocked':
      return change(state, known, { blocked: event.problem });
    case 'landing-missed':
      if (known.phase.is !== 'checked') return false;
      if (!state.turns.has(known.turn)) return state.landings.delete(known.turn);
      return change(state, known, { blocked: null, missed: known.missed + 1, phase: { is: 'queued' } });
    case 'landing-refused':
      if (known.phase.is === 'checked') return false;
      return refuse(state, known, event.problems);
    case 'landed': {
      if (known.phase.is !== 'checked') return false;
      if (!state.turns.has(known.turn)) return state.landings.delete(known.turn);
      const { result } = known.phase;
      return change(state, known, { blocked: null, phase: { is: 'landed', result } });
    }
    default:
      return event satisfies never;
  }
}

type Queued = Extract<LandingEvent, { type: 'landing-queued' }>;

function queue(state: MailState, { type: _type, ...event }: Queued): boolean {
  const turn = current(state, event, 'returned');
  if (!turn || state.landings.has(turn.id)) return false;
  const { since, result } = turn.phase;
  const { id, role, thread, attempt, round } = turn;
  const { message, commit, lands } = event;
  state.landings.set(id, {
    turn: id,
    attempt,
    round,
    role,
    thread,
    message,
    commit,
    lands,
    since: state.now,
    missed: 0,
    blocked: null,
    phase: { is: lands.approval ? 'asked' : 'queued' },
  });
  changeTurn(state, id, { phase: { is: 'landing', since, result } });
  return true;
}

/** The landing of an invocation's event; null when that has moved on. */
function currentLanding(state: MailState, { turn, attempt, round }: AtInvocation): Landing | null {
  const known = state.landings.get(turn);
  return known?.attempt === attempt && known.round === round ? known : null;
}

function change(state: MailState, known: Landing, changed: Partial<Landing>): boolean {
  state.landings.set(known.turn, { ...known, ...changed });
  return true;
}

/** Its author corrects it, once there is a slot. */
function refuse(state: MailState, { turn: id }: Landing, problems: readonly string[]): boolean {
  const turn = state.turns.get(id);
  state.landings.delete(id);
  if (turn?.phase.is !== 'landing') return false;
  const { result } = turn.phase;
  changeTurn(state, id, { phase: { is: 'refused', since: state.now, result, problems } });
  return true;
}

/** A person's answer to whether work may land. */
export function answerLanding(state: MailState, turn: TurnId, denied: string | null): void {
  const known = state.landings.get(turn);
  if (known?.phase.is !== 'asked') return;
  // At the end of the queue: it has its place there from now on.
  state.landings.delete(turn);
  if (denied !== null) refuse(state, known, [denied]);
  else state.landings.set(turn, { ...known, phase: { is: 'queued' } });
}
