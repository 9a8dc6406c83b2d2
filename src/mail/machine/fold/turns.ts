import type { Ask, AtInvocation, Claim, Happening, TurnResult } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { Mail, MailState, Phase, Turn } from '../state.ts';
import type { Bill, Bills, Cost, Usage } from '../../../kernel/cost.ts';
import { noCost, addCost, charge, dayOf, settled } from '../../../kernel/money.ts';
import { stepOf } from '../step.ts';
import { failCopy, isOpen, loseCandidate, openAsksFor } from './asks.ts';
import { endThread, canContinue, openThread, retire } from './threads.ts';
import { fileNotice } from './questions.ts';
import { sendTogether } from './sending.ts';
import { place, roleState, toProject } from './places.ts';
import { closeWait, cutWait, resumeWait } from './waits.ts';
import { changeThread, countRunning, lineage } from './work.ts';
import { shortId, type ThreadId } from '../../../kernel/ids.ts';
import type { Reason } from '../../../kernel/errors.ts';
import type { TurnId } from '../../../letters/target.ts';

type Event<T extends Happening<Message>['type']> = Extract<Happening<Message>, { type: T }>;
type In<P extends Phase['is']> = Turn & { readonly phase: Extract<Phase, { is: P }> };

/** The turn of an invocation's event; null when the turn has moved on. */
export function current<P extends Phase['is']>(state: MailState, at: AtInvocation, phase: P): In<P> | null {
  const turn = state.turns.get(at.turn);
  const same = turn?.attempt === at.attempt && turn.round === at.round && turn.phase.is === phase;
  return same ? (turn as In<P>) : null;
}

export function changeTurn(state: MailState, id: TurnId, change: Partial<Turn>): void {
  const turn = state.turns.get(id);
  if (turn) state.turns.set(id, { ...turn, ...change });
}

/** A role claims messages. A claim of missing messages changes nothing. */
export function claim(state: MailState, event: Event<'claimed'>): boolean {
  const { role, thread, wait, messages } = event;
  const mails = messages.flatMap((id) => state.mail.get(id) ?? []);
  if (!claimable(state, event, mails)) return false;
  const id = `t${String(++state.lastTurn)}`;
  const carried = state.waits.get(wait ?? '')?.owes ?? [];
  const taken = mails.flatMap((mail) => openAsksFor(state, mail, role));
  if (wait !== null) resumeWait(state, wait, id);
  openThread(state, thread, '');
  const owes = [...carried.filter((ask) => isOpen(state, ask)), ...taken];
  state.turns.set(id, begun(event, id, owes, state.now));
  countRunning(state, thread, 1);
  for (const mail of mails) place(state, mail, role, { at: 'claimed', turn: id });
  const known = roleState(state, role);
  state.roles.set(role, { ...known, turns: known.turns + 1 });
  changeThread(state, thread, { turns: (state.threads.get(thread)?.turns ?? 0) + 1 });
  return true;
}

/**
 * Listed key by key: an object created by spreading one this large is slow to create and to change.
 */
function begun(claimed: Claim, id: TurnId, owes: readonly Ask[], now: number): Turn {
  return {
    id,
    role: claimed.role,
    thread: claimed.thread,
    priority: claimed.priority,
    messages: claimed.messages,
    wait: claimed.wait,
    provider: claimed.provider,
    retries: claimed.retries,
    corrections: claimed.corrections,
    nesting: claimed.nesting,
    mustAnswer: claimed.mustAnswer,
    budget: claimed.budget,
    holds: claimed.holds,
    owes,
    claimedAt: now,
    attempt: 1,
    round: 0,
    merges: 0,
    failures: 0,
    limits: 0,
    problems: [],
    lastResult: null,
    lastFailure: null,
    decided: [],
    conflict: null,
    reserved: true,
    cost: noCost,
    host: null,
    entered: null,
    left: null,
    phase: { is: 'active', since: now, launched: null, worker: null },
  };
}

function claimable(state: MailState, event: Event<'claimed'>, mails: readonly Mail[]): boolean {
  const { role, thread, wait, messages } = event;
  if (!canContinue(state, thread) || mails.length < new Set(messages).size || mails.length < messages.length)
    return false;
  for (const turn of state.turns.values()) if (turn.role === role && turn.thread === thread) return false;
  if (wait === null && messages.length === 0) return false;
  const ready = wait === null || roleState(state, role).answered.has(wait);
  const isOwn = (mail: Mail) => mail.message.thread === thread || (wait !== null && mail.wait === wait);
  const here = (mail: Mail) => isOwn(mail) && mail.deliveries.get(role)?.at === 'inbox';
  return ready && mails.every(here);
}

/**
 * Replaces a turn's reservation by its actual cost; an unknown price is settled at the reservation.
 */
export function settle(state: MailState, turn: Turn, usage: Usage, model: string | null): void {
  if (!turn.reserved) return;
  const cost: Cost = settled(usage, turn.budget);
  changeTurn(state, turn.id, { reserved: false, cost: addCost(turn.cost, cost) });
  const role = roleState(state, turn.role);
  state.roles.set(turn.role, { ...role, cost: addCost(role.cost, cost) });
  for (const thread of lineage(state, turn.thread))
    changeThread(state, thread.id, { cost: addCost(thread.cost, cost) });
  const day = dayOf(state.now);
  const spent = state.spent.day === day ? state.spent.cost : noCost;
  state.spent = { day, cost: addCost(spent, cost) };
  const isUnused = cost.usd === 0 && cost.tokens === 0 && cost.unpriced === 0;
  // What failed before its agent began, such as a merge, was not launched.
  if (isUnused && turn.phase.is === 'active' && turn.phase.launched === null) return;
  bill(state, turn, { cost, day, model });
}

function bill(
  state: MailState,
  { role, provider, thread, host }: Turn,
  { cost, day, model }: Pick<Bill, 'cost' | 'day' | 'model'>,
): void {
  const root = lineage(state, thread).at(-1)?.id ?? thread;
  const { run, step } = stepOf(state, root)?.message.fields ?? {};
  const bills: Bills = state.bills.get(thread) ?? new Map();
  state.bills.set(thread, bills);
  charge(bills, {
    day,
    provider,
    model,
    role,
    run: typeof run === 'string' ? run : null,
    step: typeof step === 'string' ? step : null,
    host,
    launches: 1,
    cost,
  });
}

/** A turn's input and output messages are committed atomically. */
export function commit(state: MailState, turn: Turn, event: Event<'committed'>): boolean {
  if (turn.phase.is !== 'returned' && turn.phase.is !== 'landing') return false;
  const { session } = turn.phase.result;
  for (const id of turn.messages) {
    const mail = state.mail.get(id);
    if (mail) place(state, mail, turn.role, { at: 'processed' });
  }
  if (turn.wait !== null) closeWait(state, turn.wait);
  const sent = sendTogether(state, event.sent, turn, turn);
  const thread = state.threads.get(turn.thread);
  if (thread && session) {
    const sessions = { ...thread.sessions, [turn.role]: { ...session, provider: turn.provider } };
    changeThread(state, thread.id, { sessions });
  }
  leave(state, turn);
  for (const { closes, message } of sent) if (closes) closeThread(state, message.thread);
  return true;
}

/**
 * Fails a turn permanently: its messages go to `failed`, and its role will not answer what it owed.
 */
export function abandon(state: MailState, turn: Turn, reason: Reason): void {
  if (turn.phase.is === 'active') settle(state, turn, { usd: null, tokens: null }, null);
  if (turn.wait !== null) cutWait(state, turn.wait, turn.owes);
  const why = forItsRun(state, turn, reason);
  for (const id of turn.messages) {
    const mail = state.mail.get(id);
    if (mail) failCopy(state, mail, turn.role, why, turn.id);
  }
  for (const ask of turn.owes) loseCandidate(state, ask, turn.role, why);
  for (const { id, created, text } of lastResultOf(turn)?.staged ?? []) {
    const since = state.events;
    toProject(state, id, { kind: 'refused', id, created, role: turn.role, text, reason, since });
  }
  leave(state, turn);
}

/**
 * Of a failed turn for a step of a run also the class of the failure: the run can retry the step,
 * if that makes sense. Usage limits were already waited for here.
 */
function forItsRun(state: MailState, { phase, thread }: Turn, reason: Reason): Reason {
  if (phase.is !== 'failed' || stepOf(state, thread) === null) return reason;
  return { ...reason, class: phase.class === 'RETRYABLE_RATE_LIMIT' ? 'NON_RETRYABLE' : phase.class };
}

/** What its last process came to; null: none has ended. */
function lastResultOf({ phase, lastResult }: Turn): TurnResult | null {
  return 'result' in phase ? phase.result : lastResult;
}

/** Closes a thread. Running processes finish; pending attempts do not start. */
export function closeThread(state: MailState, id: ThreadId): void {
  if (!canContinue(state, id)) return;
  endThread(state, id, 'closed', null, { at: 'processed' });
  for (const turn of state.turns.values()) {
    if (turn.thread !== id || (turn.phase.is !== 'pending' && turn.phase.is !== 'asking')) continue;
    for (const messageId of turn.messages) {
      const mail = state.mail.get(messageId);
      if (mail) place(state, mail, turn.role, { at: 'processed' });
    }
    leave(state, turn);
  }
  endChildren(state, id);
}

/** Fails a thread with everything that runs and waits in it. */
export function failThread(state: MailState, id: ThreadId, reason: Reason): boolean {
  if (!canContinue(state, id)) return false;
  endThread(state, id, 'failed', reason, { at: 'failed', reason, since: state.now });
  for (const turn of state.turns.values()) if (turn.thread === id) abandon(state, turn, reason);
  endChildren(state, id);
  return true;
}

/** Stops the sub-threads of a thread that has ended: no turn will read their answers. */
function endChildren(state: MailState, id: ThreadId): void {
  const text = `the thread that opened it, ${shortId(id)}, has ended`;
  for (const child of state.threads.get(id)?.children ?? [])
    if (state.threads.get(child)?.state === 'open') failThread(state, child, { code: 'E_CANCELLED', text });
    else closeThread(state, child);
}

function leave(state: MailState, turn: Turn): void {
  if (!state.turns.delete(turn.id)) return;
  state.agentsRan = state.now;
  if (turn.phase.is === 'asking') fileNotice(state, turn.phase.notice);
  // Its branch may have moved already, which is found out first.
  if (state.landings.get(turn.id)?.phase.is !== 'checked') state.landings.delete(turn.id);
  countRunning(state, turn.thread, -1);
  // Answers from sub-threads keep those from being forgotten.
  const from = turn.messages.map((id) => state.mail.get(id)?.message.thread ?? turn.thread);
  for (const thread of new Set([turn.thread, ...from])) retire(state, thread);
}
