import type { Bills } from '../../../kernel/cost.ts';
import { charge, noCost } from '../../../kernel/money.ts';
import type { Opening } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { Delivery, Mail, MailState, Thread, Wait, WaitId } from '../state.ts';
import { isStep } from '../step.ts';
import { giveUpAsk, isOpen, loseCandidate, openCandidates } from './asks.ts';
import { place, projectAnswer } from './places.ts';
import { closeWait, cutWait } from './waits.ts';
import { changeThread } from './work.ts';
import type { RoleName, ThreadId } from '../../../kernel/ids.ts';
import type { Reason } from '../../../kernel/errors.ts';

/** How many ended threads the state keeps whole, so that people can view and resume them. */
const remembered = 100;

/** The thread of a message; created or reopened if it is not open. */
export function openThread(state: MailState, id: ThreadId, subject: string): void {
  const known = state.threads.get(id);
  if (known?.state === 'open') return;
  if (!known) state.threads.set(id, freshThread(id, subject, state.now));
  state.ended.delete(id);
  changeThread(state, id, { state: 'open', reason: null });
}

/** Opens the sub-thread of a message; closed at once if its parent has ended. */
export function openSubThread(state: MailState, { id, subject }: Message, opens: Opening): void {
  const parent = state.threads.get(opens.parent);
  const begins = parent?.state === 'open' ? 'open' : 'closed';
  const thread = { ...freshThread(id, subject, state.now), ...opens, state: begins } as const;
  state.threads.set(id, { ...thread, reserves: begins === 'open' && opens.budget !== null });
  if (parent) changeThread(state, parent.id, { children: [...parent.children, id] });
  retire(state, id);
}

function freshThread(id: ThreadId, subject: string, opened: number): Thread {
  return {
    id,
    parent: null,
    children: [],
    budget: null,
    reserves: false,
    state: 'open',
    subject,
    opened,
    messages: [],
    count: 0,
    running: 0,
    waiting: 0,
    turns: 0,
    cost: noCost,
    tree: null,
    sessions: {},
    reason: null,
  };
}

/** True when the thread is open, or the next message would reopen it. */
export function canContinue(state: MailState, id: ThreadId): boolean {
  const known = state.threads.get(id)?.state;
  return known === 'open' || known === 'quiet';
}

/** Ends a thread with its requests and waits; its waiting mail goes where `rest` says. */
export function endThread(
  state: MailState,
  id: ThreadId,
  how: 'closed' | 'failed',
  reason: Reason | null,
  rest: Delivery,
): void {
  const thread = state.threads.get(id);
  if (!thread) return;
  const steps: Mail[] = [];
  for (const messageId of thread.messages) {
    const mail = state.mail.get(messageId);
    if (!mail) continue;
    if (
      isStep(mail.message) &&
      mail.message.to.some((recipient) => isOpen(state, { request: messageId, recipient }))
    )
      steps.push(mail);
    for (const recipient of mail.request?.asks.keys() ?? []) endAsk(state, mail, recipient, reason);
    for (const [role, delivery] of mail.deliveries)
      if (delivery.at === 'inbox' && !isAwaited(state, id, mail.wait)) place(state, mail, role, rest);
  }
  for (const wait of state.waits.values()) if (wait.thread === id) giveUp(state, wait, how);
  changeThread(state, id, { state: how, reason, reserves: false });
  for (const step of steps) projectAnswer(state, step);
  retire(state, id);
}

/** Ends a wait; answers of its sub-threads are filed, and others are not awaited any more. */
function giveUp(state: MailState, wait: Wait, how: 'closed' | 'failed'): void {
  for (const request of wait.requests) {
    const mail = state.mail.get(request);
    if (!mail?.request || mail.message.thread === wait.thread) continue;
    for (const [recipient, ask] of mail.request.asks) {
      const answer = ask.is === 'answered' ? state.mail.get(ask.by) : undefined;
      if (answer?.deliveries.get(wait.role)?.at === 'inbox')
        place(state, answer, wait.role, { at: 'processed' });
      giveUpAsk(state, mail, recipient);
    }
    retire(state, mail.message.thread);
  }
  if (how === 'failed') cutWait(state, wait.id, wait.owes);
  else closeWait(state, wait.id);
}

/** Whether a wait of another thread needs the answer; null: there is no wait. */
function isAwaited({ waits }: MailState, thread: ThreadId, id: WaitId | null): boolean {
  const wait = waits.get(id ?? '');
  return wait !== undefined && wait.thread !== thread;
}

/** An ended thread awaits no answers of its own; its parent gets a notice in their place. */
function endAsk(state: MailState, mail: Mail, recipient: RoleName, reason: Reason | null): void {
  const { message, request } = mail;
  if (!isAwaited(state, message.thread, request?.wait ?? null)) return giveUpAsk(state, mail, recipient);
  const text = `its thread was closed before ${recipient} had answered`;
  const ask = { request: message.id, recipient };
  for (const candidate of openCandidates(state, ask))
    loseCandidate(state, ask, candidate, reason ?? { code: 'E_CANCELLED', text });
}

/**
 * Marks a thread in which nothing more can happen automatically. Its waiting mail keeps waiting.
 */
export function quietThread(state: MailState, id: ThreadId): boolean {
  const thread = state.threads.get(id);
  if (thread?.state !== 'open' || thread.running > 0) return false;
  changeThread(state, id, { state: 'quiet', reserves: false });
  retire(state, id);
  return true;
}

/**
 * Adds an ended thread to the remembered ones, and forgets the oldest. Keeps those with waiting
 * mail.
 */
export function retire(state: MailState, id: ThreadId): void {
  state.ended.delete(id);
  const thread = state.threads.get(id);
  if (!thread || thread.state === 'open' || thread.running > 0 || holdsMail(state, thread)) return;
  state.ended.add(id);
  for (const oldest of state.ended) {
    if (state.ended.size <= remembered) return;
    const { messages = [], parent = null } = state.threads.get(oldest) ?? {};
    for (const messageId of messages) state.mail.delete(messageId);
    for (const { id: wait, thread: its } of state.cut.values()) if (its === oldest) state.cut.delete(wait);
    state.threads.delete(oldest);
    const siblings = state.threads.get(parent ?? '')?.children ?? [];
    changeThread(state, parent ?? '', { children: siblings.filter((child) => child !== oldest) });
    forgetBills(state, oldest);
    state.paused.threads.delete(oldest);
    state.ended.delete(oldest);
  }
}

/** The costs of a forgotten thread stay counted, without its id. */
function forgetBills(state: MailState, thread: ThreadId): void {
  const bills = state.bills.get(thread);
  if (!bills) return;
  state.bills.delete(thread);
  const all: Bills = state.bills.get('') ?? new Map();
  state.bills.set('', all);
  for (const bill of bills.values()) charge(all, bill);
}

function holdsMail(state: MailState, thread: Thread): boolean {
  return thread.messages.some((id) =>
    [...(state.mail.get(id)?.deliveries.values() ?? [])].some(({ at }) => at === 'inbox' || at === 'claimed'),
  );
}
