import { asksFor, askState } from '../fold/asks.ts';
import type { Ask } from '../event.ts';
import type { Draft, Message, MessageId, ThreadId } from '../message.ts';
import type { MessageType } from '../protocol.ts';
import type { AskState, Mail, MailState } from '../state.ts';
import type { Author } from './author.ts';

/** What a message answers, if it answers anything. `late`: somebody else, or a notice, has answered already. */
export type Reply =
  | {
      readonly ask: Ask | null;
      readonly late: boolean;
      readonly inReplyTo: MessageId | null;
      readonly thread: ThreadId | null;
    }
  | { readonly problem: string };

interface Candidate {
  readonly ask: Ask;
  readonly state: AskState;
  readonly request: Message;
}

/** The requests that this author may answer with this type, as far as its draft says to whom. */
function candidates(
  state: MailState,
  author: Author,
  type: MessageType,
  draft: Draft,
  mails: Iterable<Mail>,
) {
  const found: Candidate[] = [];
  for (const mail of mails) {
    if (!mail.request?.replies.includes(type.name)) continue;
    if (draft.to !== null && !draft.to.includes(mail.message.from)) continue;
    for (const ask of asksFor(mail, author.role)) {
      const current = askState(state, ask);
      if (current) found.push({ ask, state: current, request: mail.message });
    }
  }
  return found;
}

function mailOf(state: MailState, thread: ThreadId | null): Mail[] {
  if (thread === null) return [...state.mail.values()];
  const ids = state.threads.get(thread)?.messages ?? [];
  return ids.flatMap((id) => state.mail.get(id) ?? []);
}

/** Finds the request that a draft answers: the one it names, the one its turn owes, or the only one that fits. */
export function findAsk(state: MailState, author: Author, type: MessageType, draft: Draft): Reply {
  if (draft.inReplyTo !== null) return named(state, author, type, draft, draft.inReplyTo);
  const thread = author.thread ?? draft.thread;
  const fitting = candidates(state, author, type, draft, mailOf(state, thread));
  const owed = fitting.filter(({ ask }) => author.owes.some((one) => same(one, ask)));
  const open = (among: Candidate[]) => among.filter((one) => one.state.is === 'open');
  const first = open(owed);
  const choice = first.length > 0 ? first : open(fitting);
  if (new Set(choice.map(({ ask }) => ask.request)).size > 1) {
    const ids = choice.map(({ request }) => `${request.id} (${request.subject})`).join(', ');
    return { problem: `this may answer any of several requests; set \`in_reply_to\` to one of ${ids}` };
  }
  if (choice[0]) return answer(choice[0]);
  const over = owed[0];
  if (over) return ended(author, over);
  return { ask: null, late: false, inReplyTo: null, thread };
}

/** For a type that answers nothing: the message that it refers to must be one of its thread. */
export function findReference(state: MailState, author: Author, draft: Draft): Reply {
  const thread = author.thread ?? draft.thread;
  const mail = draft.inReplyTo === null ? null : state.mail.get(draft.inReplyTo);
  if (mail === null) return { ask: null, late: false, inReplyTo: null, thread };
  if (!mail || (author.thread !== null && mail.message.thread !== author.thread))
    return unknown(draft.inReplyTo);
  return { ask: null, late: false, inReplyTo: mail.message.id, thread: mail.message.thread };
}

function unknown(id: MessageId | null): Reply {
  return { problem: `\`in_reply_to: ${String(id)}\` names no message of this thread; leave it out` };
}

function named(state: MailState, author: Author, type: MessageType, draft: Draft, id: MessageId): Reply {
  const mail = state.mail.get(id);
  if (!mail || (author.thread !== null && mail.message.thread !== author.thread)) return unknown(id);
  const { thread } = mail.message;
  const fitting = candidates(state, author, type, { ...draft, to: null }, [mail]);
  const open = fitting.find((one) => one.state.is === 'open');
  if (open) return answer(open);
  if (fitting[0]) return ended(author, fitting[0]);
  return { ask: null, late: false, inReplyTo: id, thread };
}

function same(a: Ask, b: Ask): boolean {
  return a.request === b.request && a.recipient === b.recipient;
}

function answer({ ask, request }: Candidate): Reply {
  return { ask, late: false, inReplyTo: request.id, thread: request.thread };
}

function ended(author: Author, { ask, state, request }: Candidate): Reply {
  if (state.is === 'answered' && state.from === author.role)
    return { problem: `${author.role} has already answered ${request.id} (${request.subject})` };
  return { ask, late: true, inReplyTo: request.id, thread: request.thread };
}
