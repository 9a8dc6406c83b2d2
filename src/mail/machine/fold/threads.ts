import type { Bills } from '../../../kernel/cost.ts';
import { charge, noCost } from '../../../kernel/money.ts';
import type { Delivery, Mail, MailState, Thread } from '../state.ts';
import { isStep } from '../step.ts';
import { isOpen, setAsk } from './asks.ts';
import { place, projectAnswer } from './places.ts';
import { closeWait } from './waits.ts';
import { changeThread } from './work.ts';
import type { ThreadId } from '../../../kernel/ids.ts';
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

function freshThread(id: ThreadId, subject: string, opened: number): Thread {
  return {
    id,
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
    for (const recipient of mail.request?.asks.keys() ?? []) setAsk(state, mail, recipient, { is: 'over' });
    for (const [role, delivery] of mail.deliveries)
      if (delivery.at === 'inbox') place(state, mail, role, rest);
  }
  for (const wait of state.waits.values()) if (wait.thread === id) closeWait(state, wait.id);
  changeThread(state, id, { state: how, reason });
  for (const step of steps) projectAnswer(state, step);
  retire(state, id);
}

/**
 * Marks a thread in which nothing more can happen automatically. Its waiting mail keeps waiting.
 */
export function quietThread(state: MailState, id: ThreadId): boolean {
  const thread = state.threads.get(id);
  if (thread?.state !== 'open' || thread.running > 0) return false;
  changeThread(state, id, { state: 'quiet' });
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
    for (const messageId of state.threads.get(oldest)?.messages ?? []) state.mail.delete(messageId);
    state.threads.delete(oldest);
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
