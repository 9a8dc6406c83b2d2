import type { AtInvocation, Happening } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { MailState } from '../state.ts';
import type { Landing } from '../landing.ts';
import { changeTurn, current } from './turns.ts';
import type { TurnId } from '../../../letters/target.ts';

type LandingEvent = Extract<Happening<Message>, { type: `landing-${string}` | 'landed' }>;

/** Applies an event about the landing of a turn's work; false if it is about an earlier one. */
export function landing(state: MailState, event: LandingEvent): boolean {
  if (event.type === 'landing-queued') return queue(state, event);
  const known = currentLanding(state, event);
  if (!known) return false;
  switch (event.type) {
    case 'landing-asked': {
      const { onto, rules, undone = false } = event;
      if (known.phase.is !== 'queued') return false;
      const last = state.branches.get(known.lands.branch) ?? onto;
      const phase = { is: 'asked', onto, rules, left: last === onto ? null : last, undone } as const;
      return change(state, known, { asked: known.asked + 1, approved: null, blocked: null, phase });
    }
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
      meet(state, known, event.meets ?? null);
      return refuse(state, known, event.problems, event.conflicts);
    case 'landed': {
      if (known.phase.is !== 'checked') return false;
      followBranch(state, known.lands.branch, known.phase);
      if (!state.turns.has(known.turn)) return state.landings.delete(known.turn);
      return change(state, known, { blocked: null, phase: { ...known.phase, is: 'landed' } });
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
    asked: 0,
    approved: null,
    blocked: null,
    phase: { is: 'queued' },
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

/** What a person approves, or has approved, counts also after a landing of Mailroom's own. */
function followBranch(
  state: MailState,
  branch: string,
  { onto, result }: { readonly onto: string; readonly result: string },
): void {
  state.branches.set(branch, result);
  const moved = <T extends { readonly onto: string }>(at: T): T =>
    at.onto === onto ? { ...at, onto: result } : at;
  for (const other of state.landings.values()) {
    const { approved, phase } = other;
    if (other.lands.branch !== branch) continue;
    if (phase.is === 'asked') change(state, other, { phase: moved(phase) });
    else if (approved !== null) change(state, other, { approved: moved(approved) });
  }
}

/** The next turn of the thread whose role may edit merges what the work conflicts with. */
function meet(state: MailState, { thread: id, lands }: Landing, commit: string | null): void {
  const thread = state.threads.get(id);
  if (!thread || commit === null) return;
  state.threads.set(id, { ...thread, meets: { commit, message: null, from: `\`${lands.branch}\`` } });
}

/** Its author corrects it, once there is a slot. */
function refuse(
  state: MailState,
  { turn: id }: Landing,
  problems: readonly string[],
  conflicts = false,
): boolean {
  const turn = state.turns.get(id);
  state.landings.delete(id);
  if (turn?.phase.is !== 'landing') return false;
  const { result } = turn.phase;
  const merges = turn.merges + (conflicts ? 1 : 0);
  changeTurn(state, id, { merges, phase: { is: 'refused', since: state.now, result, problems } });
  return true;
}

/** A person's answer to whether work may land. */
export function answerLanding(state: MailState, turn: TurnId, denied: string | null): void {
  const known = state.landings.get(turn);
  if (known?.phase.is !== 'asked') return;
  // At the end of the queue: it has its place there from now on.
  state.landings.delete(turn);
  const { onto, rules } = known.phase;
  if (denied !== null) refuse(state, known, [denied]);
  else
    state.landings.set(turn, {
      ...known,
      approved: { onto, rules: rules?.digest ?? null },
      phase: { is: 'queued' },
    });
}
