import { askState } from '../../core/mail/fold/asks.ts';
import type { Message, MessageId, RoleName, ThreadId } from '../../core/mail/message.ts';
import { mailroom } from '../../core/mail/message.ts';
import type { MailState, ThreadState } from '../../core/mail/state.ts';
import { referred } from './reference.ts';

/** How far the answer to a message is. `thread` is the state that ended the waiting. */
export type Answer =
  | { readonly is: 'open'; readonly news: readonly Message[] }
  | { readonly is: 'over'; readonly thread: ThreadState; readonly news: readonly Message[] };

/** A message that somebody waits about: by its id, or by its reference while no id is known. */
export interface Awaited {
  readonly role: RoleName;
  readonly id: MessageId | null;
  readonly reference: string | null;
}

/**
 * What came for the sender since, and whether anything more will: the answers are all in, or the thread has ended.
 * Null: the controller has not taken the message yet.
 */
export function answerTo(state: MailState, awaited: Awaited): Answer | null {
  const id = awaited.id ?? (awaited.reference === null ? null : referred(state, awaited.reference));
  const mail = id === null ? undefined : state.mail.get(id);
  if (!mail) return null;
  const { thread } = mail.message;
  const news = newsIn(state, thread, mail.order, awaited.role);
  const now = state.threads.get(thread)?.state ?? 'closed';
  const asks = [...(mail.request?.asks.keys() ?? [])];
  const answered = (recipient: RoleName) =>
    askState(state, { request: mail.message.id, recipient })?.is !== 'open';
  const over = asks.length > 0 ? asks.every(answered) : now !== 'open';
  return over || now === 'failed' || now === 'closed'
    ? { is: 'over', thread: now, news }
    : { is: 'open', news };
}

/** What was sent to a role in a thread after some message, in order. */
function newsIn(state: MailState, thread: ThreadId, after: number, role: RoleName): Message[] {
  return (state.threads.get(thread)?.messages ?? [])
    .flatMap((id) => state.mail.get(id) ?? [])
    .filter(({ order, message }) => order > after && message.from !== mailroom && message.to.includes(role))
    .map(({ message }) => message);
}
