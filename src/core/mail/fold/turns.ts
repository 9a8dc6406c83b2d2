import type { Ask, AtInvocation, Happening, Reason, Sent, TurnId, Usage } from '../event.ts';
import type { Message, RoleName, ThreadId } from '../message.ts';
import type { Cost, MailState, Phase, Turn } from '../state.ts';
import { addCost, dayOf, settled } from '../money.ts';
import { asksFor, isOpen, loseCandidate } from './asks.ts';
import { changeThread, endThread, retire } from './threads.ts';
import { closeIfAsked, openWait, send } from './sending.ts';
import { failCopy, place, roleState, stir, toDraw } from './places.ts';

type Event<T extends Happening<Message>['type']> = Extract<Happening<Message>, { type: T }>;

/** The turn that an event of an invocation speaks of; null when the event is late and the turn has moved on. */
export function current<P extends Phase['is']>(
  state: MailState,
  at: AtInvocation,
  phase: P,
): (Turn & { phase: Extract<Phase, { is: P }> }) | null {
  const turn = state.turns.get(at.turn);
  const same = turn?.attempt === at.attempt && turn.round === at.round && turn.phase.is === phase;
  return same ? (turn as Turn & { phase: Extract<Phase, { is: P }> }) : null;
}

export function changeTurn(state: MailState, id: TurnId, change: Partial<Turn>): void {
  const turn = state.turns.get(id);
  if (turn) state.turns.set(id, { ...turn, ...change });
}

export function claim(state: MailState, event: Event<'claimed'>): void {
  const { type: _type, ...claimed } = event;
  const id = `t${String(++state.lastTurn)}`;
  const asks: Ask[] = [...(state.waits.get(claimed.wait ?? '')?.owes ?? [])];
  for (const messageId of claimed.messages) {
    const mail = state.mail.get(messageId);
    if (!mail) continue;
    asks.push(...asksFor(mail, claimed.role));
    place(state, mail, claimed.role, { at: 'claimed', turn: id });
  }
  state.turns.set(id, {
    ...claimed,
    id,
    owes: asks.filter((ask) => isOpen(state, ask)),
    claimedAt: state.now,
    attempt: 1,
    round: 0,
    failures: 0,
    problems: [],
    lastResult: null,
    lastFailure: null,
    reserved: true,
    cost: { usd: 0, tokens: 0, unpriced: 0 },
    phase: { is: 'active', since: state.now, launched: null },
  });
  const role = roleState(state, claimed.role);
  state.roles.set(claimed.role, { ...role, turns: role.turns + 1 });
  const thread = state.threads.get(claimed.thread);
  if (thread) changeThread(state, thread.id, { turns: thread.turns + 1 });
  state.stirred.delete(claimed.thread);
}

/** Replaces a turn's reservation by what it really cost; an unknown price is settled at the reservation. */
export function settle(state: MailState, turn: Turn, usage: Usage): void {
  if (!turn.reserved) return;
  const cost: Cost = settled(usage, turn.budget);
  changeTurn(state, turn.id, { reserved: false, cost: addCost(turn.cost, cost) });
  const role = roleState(state, turn.role);
  state.roles.set(turn.role, { ...role, cost: addCost(role.cost, cost) });
  const thread = state.threads.get(turn.thread);
  if (thread) changeThread(state, thread.id, { cost: addCost(thread.cost, cost) });
  const day = dayOf(state.now);
  const spent = state.spent.day === day ? state.spent.cost : { usd: 0, tokens: 0, unpriced: 0 };
  state.spent = { day, cost: addCost(spent, cost) };
}

export function commit(state: MailState, event: Event<'committed'>): void {
  const turn = state.turns.get(event.turn);
  if (turn?.phase.is !== 'returned') return;
  const { result } = turn.phase;
  for (const id of turn.messages) {
    const mail = state.mail.get(id);
    if (mail) place(state, mail, turn.role, { at: 'processed' });
  }
  state.waits.delete(turn.wait ?? '');
  sendTogether(state, event.sent, turn, turn.id);
  const thread = state.threads.get(turn.thread);
  if (thread && result.session) {
    const sessions = { ...thread.sessions, [turn.role]: { ...result.session, provider: turn.provider } };
    changeThread(state, thread.id, { sessions });
  }
  leave(state, turn);
}

/** Sends what belongs together: its requests are one wait, which carries what is still owed. */
export function sendTogether(
  state: MailState,
  sent: readonly Sent[],
  by: { role: RoleName; thread: string; owes: readonly Ask[] },
  turn: TurnId | null,
): void {
  const answered = (ask: Ask) =>
    sent.some(({ answers }) => answers?.request === ask.request && answers.recipient === ask.recipient);
  const owes = by.owes.filter((ask) => isOpen(state, ask) && !answered(ask));
  const wait = openWait(state, by.role, by.thread, sent, owes);
  for (const one of sent) send(state, one, turn, wait);
  closeIfAsked(state, sent);
}

/** Ends a turn for good: what it took up goes to `failed`, what it owed will not come from this role. */
export function abandon(state: MailState, turn: Turn, reason: Reason): void {
  if (turn.phase.is === 'active') settle(state, turn, { usd: null, tokens: null });
  state.waits.delete(turn.wait ?? '');
  for (const id of turn.messages) {
    const mail = state.mail.get(id);
    if (mail) failCopy(state, mail, turn.role, reason);
  }
  for (const ask of turn.owes) loseCandidate(state, ask, turn.role, reason);
  const written = turn.phase.is === 'returned' ? turn.phase.result.staged : (turn.lastResult?.staged ?? []);
  for (const { id, created, text } of written) {
    const since = state.events;
    toDraw(state, id, { kind: 'refused', id, created, role: turn.role, text, reason, since });
  }
  leave(state, turn);
}

/** Ends a thread that cannot go on, with everything that runs and waits in it. */
export function failThread(state: MailState, id: ThreadId, reason: Reason): void {
  endThread(state, id, 'failed', reason, { at: 'failed', reason });
  for (const turn of [...state.turns.values()]) if (turn.thread === id) abandon(state, turn, reason);
}

function leave(state: MailState, turn: Turn): void {
  state.turns.delete(turn.id);
  const thread = state.threads.get(turn.thread);
  if (thread && thread.state !== 'open') retire(state, thread.id);
  stir(state, turn.thread);
}
