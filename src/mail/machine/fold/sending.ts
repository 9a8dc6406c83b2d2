import type { Ask, Sent } from '../event.ts';
import type { Message } from '../../format/message.ts';
import { workflowRole } from '../../format/protocol.ts';
import type { AskState, Mail, MailState, Turn, Wait, WaitId } from '../state.ts';
import { askState, isOpen, openAsksFor, setAsk, settleAsk } from './asks.ts';
import { setDeadline } from './deadlines.ts';
import { projectSent, place } from './places.ts';
import { openSubThread } from './threads.ts';
import { openWait } from './waits.ts';
import { changeThread } from './work.ts';
import type { RoleName, ThreadId } from '../../../kernel/ids.ts';

/** Who sends, from which turn and thread, and what the sender owes. */
interface Sender {
  readonly role: RoleName;
  readonly thread: ThreadId;
  readonly owes: readonly Ask[];
}

/** The turn that wrote a message; null: none did. */
type Author = Pick<Turn, 'id' | 'host'> | null;

/**
 * Sends the messages of one turn: their requests are one wait, which keeps the sender's open debts.
 */
export function sendTogether(
  state: MailState,
  all: readonly Sent[],
  by: Sender,
  turn: Author,
): readonly Sent[] {
  const sent = all.filter((one, index) => isOf(state, by, one) && isNew(state, all, one.message, index));
  const answered = new Set(sent.flatMap(({ answers }) => answers?.request ?? []));
  const owes = by.owes.filter((ask) => isOpen(state, ask) && !answered.has(ask.request));
  const wait = waitFor(state, by, sent, owes);
  for (const one of sent) send(state, one, turn, wait);
  return sent;
}

function isOf({ threads }: MailState, { role, thread }: Sender, { message, opens }: Sent): boolean {
  if (message.from !== role || (opens?.parent ?? message.thread) !== thread) return false;
  return !opens || (message.thread === message.id && !threads.has(message.id));
}

/** No message is delivered twice, whatever the journal says. */
function isNew(state: MailState, all: readonly Sent[], { id }: Message, index: number): boolean {
  return !state.mail.has(id) && all.findIndex(({ message }) => message.id === id) === index;
}

/** One wait for all requests that were sent together. The strictest blocking applies. */
function waitFor(
  state: MailState,
  { role, thread }: Sender,
  sent: readonly Sent[],
  owes: readonly Ask[],
): WaitId | null {
  const requests = sent.flatMap(({ request, message }) =>
    request === null || message.to.length === 0 ? [] : [{ blocks: request.blocks, id: message.id }],
  );
  if (requests.length === 0 || state.threads.get(thread)?.state !== 'open') return null;
  const ways = new Set(requests.map(({ blocks }) => blocks));
  const blocks: Wait['blocks'] = ways.has('role') ? 'role' : ways.has('thread') ? 'thread' : 'none';
  const ids = requests.map(({ id }) => id);
  return openWait(state, role, thread, blocks, ids, owes);
}

/** Adds a message and delivers it to all recipients. In an ended thread only people get it. */
function send(state: MailState, sent: Sent, turn: Author, wait: WaitId | null): void {
  const { message } = sent;
  if (sent.opens) openSubThread(state, message, sent.opens);
  const open = state.threads.get(message.thread)?.state === 'open';
  const answered = sent.answers === null ? null : askState(state, sent.answers);
  // Another reply may have arrived since this one was judged.
  const late = sent.late || answered?.is === 'answered';
  const replyTo = answered?.is === 'open' ? state.mail.get(sent.answers?.request ?? '') : undefined;
  const request = sent.request && open ? { ...sent.request, wait, asks: new Map<string, AskState>() } : null;
  const mail: Mail = {
    message,
    order: ++state.lastMail,
    turn: turn?.id ?? null,
    host: turn?.host ?? null,
    deliveries: new Map(),
    request,
    wait: replyTo?.request?.wait ?? null,
    joins: sent.joins,
  };
  know(state, mail);
  if (request)
    for (const recipient of message.to)
      setAsk(state, mail, recipient, { is: 'open', candidates: [recipient], escalated: null });
  if (request && request.deadline !== null && message.to.length > 0)
    setDeadline(state, message.id, request.deadline);
  if (replyTo) answer(state, replyTo, sent);
  for (const role of message.to)
    // Runs have no folder among the roles: their answer has a projection of its own.
    if (role === workflowRole) place(state, mail, role, { at: 'processed' });
    else if (sent.people.includes(role)) place(state, mail, role, { at: 'unread' });
    else place(state, mail, role, late || !open ? { at: 'processed' } : { at: 'inbox' });
  projectSent(state, message);
}

/** One reply settles all asks of that request that its author can answer. */
function answer(state: MailState, request: Mail, { message, answers, people }: Sent): void {
  const asks = openAsksFor(state, request, message.from);
  const all = answers && !asks.some(({ recipient }) => recipient === answers.recipient) ? [answers] : asks;
  const person = people.includes(request.message.from);
  for (const ask of all) settleAsk(state, ask, message.id, message.from, person);
}

/** Adds a message to the state and to its thread. */
function know(state: MailState, mail: Mail): void {
  const { message } = mail;
  state.mail.set(message.id, mail);
  const thread = state.threads.get(message.thread);
  if (!thread) return;
  thread.messages.push(message.id);
  changeThread(state, thread.id, { count: thread.count + 1 });
}

/** A notice does not open a thread; one about a forgotten thread is kept as unread mail only. */
export function deliverNotice(state: MailState, notice: Message): void {
  if (state.mail.has(notice.id)) return;
  const mail = addMail(state, notice);
  for (const role of notice.to) place(state, mail, role, { at: 'unread' });
}

/** A notice in place of the reply to an ask. */
export function replaceReply(state: MailState, ask: Ask, notice: Message, person: boolean): void {
  if (state.mail.has(notice.id)) return;
  const wait = state.mail.get(ask.request)?.request?.wait ?? null;
  const mail = addMail(state, notice, wait);
  for (const role of notice.to) place(state, mail, role, person ? { at: 'unread' } : { at: 'inbox' });
  settleAsk(state, ask, notice.id, null, person);
}

/** A message that is not a request; it belongs to its thread if that is known. */
function addMail(state: MailState, message: Message, wait: WaitId | null = null): Mail {
  const order = ++state.lastMail;
  const mail: Mail = {
    message,
    order,
    turn: null,
    host: null,
    deliveries: new Map(),
    request: null,
    wait,
    joins: [],
  };
  if (state.threads.has(message.thread)) know(state, mail);
  return mail;
}
