import { askState } from '../machine/fold/asks.ts';
import type { Message } from '../format/message.ts';
import { mailroom } from '../format/message.ts';
import type { MailState, ThreadState } from '../machine/state.ts';
import type { MessageId, RoleName, ThreadId } from '../../kernel/ids.ts';

/** The state of the answer to a message. `thread`: the thread's state that ended the wait. */
export type Answer =
  | { readonly is: 'open'; readonly news: readonly Message[] }
  | { readonly is: 'over'; readonly thread: ThreadState; readonly news: readonly Message[] };

/**
 * Messages to the sender since, and whether more may follow: all answers have arrived, or the
 * thread has ended. A message that the state has forgotten is over.
 */
export function answerTo(state: MailState, id: MessageId, role: RoleName): Answer {
  const mail = state.mail.get(id);
  if (!mail) return { is: 'over', thread: 'closed', news: [] };
  const { thread } = mail.message;
  const news = newsIn(state, thread, mail.order, role);
  const now = state.threads.get(thread)?.state ?? 'closed';
  const asks = [...(mail.request?.asks.keys() ?? [])];
  const answered = (recipient: RoleName) =>
    askState(state, { request: mail.message.id, recipient })?.is !== 'open';
  const over = asks.length > 0 ? asks.every(answered) : now !== 'open';
  return over || now === 'failed' || now === 'closed'
    ? { is: 'over', thread: now, news }
    : { is: 'open', news };
}

/** The messages to a role in a thread after a given one, in order. */
function newsIn(state: MailState, thread: ThreadId, after: number, role: RoleName): Message[] {
  return (state.threads.get(thread)?.messages ?? [])
    .flatMap((id) => state.mail.get(id) ?? [])
    .filter(({ order, message }) => order > after && message.from !== mailroom && message.to.includes(role))
    .map(({ message }) => message);
}
