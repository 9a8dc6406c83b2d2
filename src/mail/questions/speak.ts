import { answererOf } from '../../kernel/answerer.ts';
import { endOfId, type MessageId, type RoleName } from '../../kernel/ids.ts';
import type { Json } from '../../kernel/json.ts';
import { shellWord } from '../../kernel/quoting.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { mailroom, type Message } from '../format/message.ts';
import { peopleOf, type Protocol } from '../format/protocol.ts';
import { addressees, compose } from './compose.ts';
import { resolve, resolveThread } from './directory.ts';
import { allMessages } from './messages.ts';
import { sentBefore, submit, writtenProtocol } from './sending.ts';
import type { Project } from '../../project/project.ts';
import type { Sending } from '../../documents/mail.ts';

/** What a person says, without who it is. */
export interface WrittenMessage {
  readonly type?: string | undefined;
  readonly subject?: string | undefined;
  readonly text: string;
  readonly fields: Readonly<Record<string, Json>>;
  readonly attachments: readonly string[];
}

interface Speaking {
  readonly project: Project;
  /** The name of the person: of a human role, or another one, which speaks as `user`. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Finds a repeated message; undefined: it is never repeated. */
  readonly mark: string | undefined;
}

const rest = { plain: true, source: '`text`', remedy: 'give `text` or a subject', replies: null } as const;

/** Sends a message as the human role of this name, else as `user`. */
export async function sendAs(
  speaking: Speaking,
  letter: WrittenMessage & { readonly to: readonly string[]; readonly thread?: string | undefined },
): Promise<Sending> {
  const { project, name } = speaking;
  const protocol = await writtenProtocol(project);
  if (protocol !== null) project.prepare(protocol);
  const state = project.journal.state();
  const from = speakerOf(protocol, name);
  const thread = letter.thread === undefined ? null : resolveThread(project, state, letter.thread);
  const wish = { ...partsOf(letter), from, to: letter.to, thread, inReplyTo: null, opensThread: true };
  return deliver(speaking, from, letter, compose({ ...wish, ...rest }, protocol));
}

/** The human role of this name, else `user`. */
export function speakerOf(protocol: Protocol | null, name: string): RoleName {
  return protocol !== null && peopleOf(protocol).includes(name) ? name : 'user';
}

/**
 * Who answers a message where somebody with this name does. Throws `E_FORBIDDEN` with the command
 * of a person who was asked, if this one was not.
 */
export function answererFor(
  { id }: Message,
  people: readonly RoleName[],
  protocol: Protocol,
  name: string,
): RoleName {
  const from = answererOf(name, people, peopleOf(protocol));
  if (from === null) throw notAsked(id, people, name);
  return from;
}

export function notAsked(id: MessageId, people: readonly RoleName[], name: string): MailroomError {
  const command = `mailroom reply ${endOfId(id)} --as ${shellWord(people.join('|'))}`;
  return new MailroomError(
    'E_FORBIDDEN',
    `${name} was not asked, but ${people.join(', ')}`,
    `nothing was sent; one of them answers with \`${command}\``,
  );
}

/**
 * Answers a message as the human role of this name, else as `user`. Throws `E_FORBIDDEN` where that
 * one was not asked.
 */
export async function replyAs(speaking: Speaking, word: string, letter: WrittenMessage): Promise<Sending> {
  const { project, name, mark } = speaking;
  // Who has answered is not asked any more.
  const before = mark === undefined ? null : sentBefore(project, mark);
  if (before !== null) return before;
  const state = project.journal.state();
  const message = findMessage(project, word);
  if (message.from === mailroom)
    throw new MailroomError('E_TARGET', 'a notice comes from Mailroom, which reads no answers');
  const protocol = await writtenProtocol(project);
  const from =
    protocol === null ? 'user' : answererFor(message, addressees(state, protocol, message), protocol, name);
  const replies = state.mail.get(message.id)?.request?.replies ?? null;
  const wish = { ...partsOf(letter), from, to: [message.from], thread: null, inReplyTo: message.id };
  return deliver(speaking, from, letter, compose({ ...wish, ...rest, replies }, protocol));
}

function partsOf({
  type = null,
  subject = null,
  text,
  attachments,
}: { [K in keyof WrittenMessage]: WrittenMessage[K] | null }) {
  return { type, subject, text: text ?? '', fields: [], attachments: attachments ?? [] };
}

function deliver(
  { project, now, mark }: Speaking,
  from: string,
  { fields }: WrittenMessage,
  draft: ReturnType<typeof compose>,
): Promise<Sending> {
  return submit(project, from, { ...draft, fields: { ...draft.fields, ...fields } }, now, mark);
}

function findMessage(project: Project, word: string): Message {
  const state = project.journal.state();
  const { message: id } = resolve(project, state, word, ['message']);
  const known = state.mail.get(id)?.message;
  const found = known ?? allMessages(project, state).find(({ message }) => message.id === id)?.message;
  if (!found) throw new MailroomError('E_TARGET', `there is no message ${word}`);
  return found;
}
