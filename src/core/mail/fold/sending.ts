import type { Ask, Sent, TurnId } from '../event.ts';
import type { Message, RoleName, ThreadId } from '../message.ts';
import type { Delivery, Mail, MailState } from '../state.ts';
import { askState, settleAsk } from './asks.ts';
import { changeThread, endThread } from './threads.ts';
import { drawSent, place } from './places.ts';

/** Makes a message known and delivers it to everybody it is for. A thread that has ended delivers to people only. */
export function send(state: MailState, sent: Sent, turn: TurnId | null, wait: string | null): void {
  const { message } = sent;
  const open = state.threads.get(message.thread)?.state === 'open';
  const answered = sent.answers ? askState(state, sent.answers) : null;
  const request = sent.request && open ? sent.request : null;
  const mail: Mail = {
    message,
    order: ++state.lastMail,
    turn,
    deliveries: new Map(),
    request: request && {
      ...request,
      wait,
      asks: new Map(
        message.to.map(
          (recipient) => [recipient, { is: 'open', candidates: [recipient], escalated: null }] as const,
        ),
      ),
    },
    wait:
      answered?.is === 'open' ? (state.mail.get(sent.answers?.request ?? '')?.request?.wait ?? null) : null,
    joins: sent.joins,
  };
  know(state, mail);
  if (sent.answers && answered?.is === 'open') settleAsk(state, sent.answers, message.id, message.from);
  if (request?.deadline != null) state.deadlines.set(message.id, request.deadline);
  for (const role of message.to) {
    const filed: Delivery = sent.late || !open ? { at: 'processed' } : { at: 'inbox' };
    place(state, mail, role, sent.people.includes(role) ? { at: 'unread' } : filed);
  }
  drawSent(state, message);
}

/** Adds a message to the state and to its thread. */
function know(state: MailState, mail: Mail): void {
  const { message } = mail;
  state.mail.set(message.id, mail);
  const thread = state.threads.get(message.thread);
  if (!thread) return;
  thread.messages.push(message.id);
  changeThread(state, thread.id, { count: thread.count + 1 });
  const alone = message.to.some((role) => !mail.joins.includes(role));
  if (alone) state.stirred.delete(thread.id);
}

/** A notice has no thread of its own to open; one about a thread that is gone lives among the unread mail only. */
export function deliverNotice(state: MailState, notice: Message): void {
  const mail = addMail(state, notice);
  for (const role of notice.to) place(state, mail, role, { at: 'unread' });
}

/** A notice that takes the place of the reply to an ask. */
export function standIn(state: MailState, ask: Ask, notice: Message, person: boolean): void {
  const wait = state.mail.get(ask.request)?.request?.wait ?? null;
  const mail = addMail(state, notice, wait);
  settleAsk(state, ask, notice.id, null);
  for (const role of notice.to) place(state, mail, role, person ? { at: 'unread' } : { at: 'inbox' });
}

/** A message that asks for nothing; it belongs to its thread if that is known. */
export function addMail(state: MailState, message: Message, wait: string | null = null): Mail {
  const order = ++state.lastMail;
  const mail: Mail = { message, order, turn: null, deliveries: new Map(), request: null, wait, joins: [] };
  if (state.threads.has(message.thread)) know(state, mail);
  return mail;
}

/** One wait for all requests that were sent together. The strongest way of blocking counts. */
export function openWait(
  state: MailState,
  role: RoleName,
  thread: ThreadId,
  sent: readonly Sent[],
  owes: readonly Ask[],
): string | null {
  const requests = sent.filter(({ request }) => request !== null);
  if (requests.length === 0 || state.threads.get(thread)?.state !== 'open') return null;
  const ways = requests.map(({ request }) => request?.blocks);
  const blocks = ways.includes('role') ? 'role' : ways.includes('thread') ? 'thread' : 'none';
  const id = `w${String(++state.lastWait)}`;
  const ids = requests.map(({ message }) => message.id);
  state.waits.set(id, { id, role, thread, blocks, requests: ids, owes, since: state.now });
  return id;
}

/** Closing files what still waits in the thread. */
export function closeIfAsked(state: MailState, sent: readonly Sent[]): void {
  for (const { closes, message } of sent)
    if (closes) endThread(state, message.thread, 'closed', null, { at: 'processed' });
}
