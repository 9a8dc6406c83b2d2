import { asksFor, askState } from '../fold/asks.ts';
import type { Ask } from '../event.ts';
import type { Draft, Message } from '../../format/message.ts';
import type { MessageType } from '../../format/protocol.ts';
import type { AskState, Mail, MailState } from '../state.ts';
import type { Author } from './author.ts';
import type { MessageId, ThreadId } from '../../../kernel/ids.ts';

/**
 * Whether and what a message answers. `late`: the ask already has an answer, or a notice in place
 * of one.
 */
type Reply =
  | {
      readonly ask: Ask | null;
      readonly late: boolean;
      readonly inReplyTo: MessageId | null;
      readonly thread: ThreadId | null;
    }
  | { readonly problem: string };

/** A request that an author can answer, by one of the author's asks of it. */
interface Candidate {
  readonly ask: Ask;
  readonly state: Exclude<AskState, { is: 'over' }>;
  readonly request: Message;
}

/** How many requests an error lists when an answer fits several. */
const mostNamed = 5;

/**
 * Finds the request that a draft answers: the one it names, the one its turn owes, or the only one
 * that fits. A draft whose type is not a reply answers none, but can refer to a message of its
 * thread.
 */
export function findAsk(state: MailState, author: Author, type: MessageType, draft: Draft): Reply {
  if (draft.inReplyTo !== null) return named(state, author, type, draft.inReplyTo);
  const thread = author.thread ?? draft.thread;
  const fits = ({ request }: Candidate) =>
    draft.to === null || draft.to.includes(request.from) || (type.closes && !type.to.includes(request.from));
  const find = (ids: Iterable<MessageId>) => candidates(state, author, type, ids).filter(fits);
  const owed = find(new Set(author.owes.map(({ request }) => request)));
  const open = owed.filter((one) => one.state.is === 'open');
  const choice = open.length > 0 ? open : find(asked(state, author, thread));
  if (choice.length > 1) {
    const ids = choice.slice(0, mostNamed).map(({ request }) => `${request.id} (${request.subject})`);
    const more = choice.length > mostNamed ? ', …' : '';
    return {
      problem: `this may answer any of several requests; set \`in_reply_to\` to one of ${ids.join(', ')}${more}`,
    };
  }
  const [only] = choice;
  if (only) return answer(only);
  const [over] = owed;
  return over ? ended(author, over) : { ask: null, late: false, inReplyTo: null, thread };
}

/**
 * The requests that wait for an answer of this author; within the author's thread, if there is one.
 */
function asked(state: MailState, { role }: Author, thread: ThreadId | null): Iterable<MessageId> {
  const open = state.roles.get(role)?.asked ?? new Set<MessageId>();
  if (thread === null) return open;
  return (state.threads.get(thread)?.messages ?? []).filter((id) => open.has(id));
}

/** The ones that the author can answer with this type; each once, preferring an open ask. */
function candidates(
  state: MailState,
  author: Author,
  type: MessageType,
  ids: Iterable<MessageId>,
): Candidate[] {
  const found: Candidate[] = [];
  for (const id of ids) {
    const mail = state.mail.get(id);
    if (mail?.request?.replies.includes(type.name) !== true) continue;
    const own = asksOf(state, author, mail);
    const first = own.find((one) => one.state.is === 'open') ?? own[0];
    if (first) found.push(first);
  }
  return found;
}

function asksOf(state: MailState, author: Author, mail: Mail): Candidate[] {
  const owed = author.owes.filter(({ request }) => request === mail.message.id);
  return [...asksFor(mail, author.role), ...owed].flatMap((ask) => {
    const current = askState(state, ask);
    return current === null || current.is === 'over' ? [] : [{ ask, state: current, request: mail.message }];
  });
}

/** A message that the author can refer to: of its thread, or of a sub-thread. */
function inReach(state: MailState, { thread }: Author, id: MessageId): Mail | null {
  const mail = state.mail.get(id);
  if (!mail || thread === null || mail.message.thread === thread) return mail ?? null;
  return state.threads.get(mail.message.thread)?.parent === thread ? mail : null;
}

function unknown(id: MessageId): Reply {
  return { problem: `\`in_reply_to: ${id}\` names no message of this thread; leave it out` };
}

function named(state: MailState, author: Author, type: MessageType, id: MessageId): Reply {
  const mail = inReach(state, author, id);
  if (!mail) return unknown(id);
  // What it sends about the answer of a sub-thread stays in its own.
  if (author.thread !== null && mail.message.thread !== author.thread)
    return { ask: null, late: false, inReplyTo: id, thread: author.thread };
  const [fitting] = candidates(state, author, type, [id]);
  if (!fitting) return { ask: null, late: false, inReplyTo: id, thread: mail.message.thread };
  return fitting.state.is === 'open' ? answer(fitting) : ended(author, fitting);
}

function answer({ ask, request }: Candidate): Reply {
  return { ask, late: false, inReplyTo: request.id, thread: request.thread };
}

function ended(author: Author, { ask, state, request }: Candidate): Reply {
  if (state.is === 'answered' && state.from === author.role)
    return { problem: `${author.role} has already answered ${request.id} (${request.subject})` };
  return { ask, late: true, inReplyTo: request.id, thread: request.thread };
}
