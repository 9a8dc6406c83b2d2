import { MailroomError } from '../../kernel/errors.ts';
import type { Draft, Message } from '../format/message.ts';
import { mayAnswer } from '../machine/answering.ts';
import type { MailState } from '../machine/state.ts';
import {
  answerGoesTo,
  answersBetween,
  builtInNamed,
  isHuman,
  peopleOf,
  stepResult,
  typesBetween,
  workflowRole,
  type MessageType,
  type Protocol,
} from '../format/protocol.ts';
import { maySend } from '../machine/rules/address.ts';
import { listed } from '../../kernel/enumerate.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { nothingSaid, parseMessage } from '../format/read-message.ts';
import { isInside } from '../../yaml/paths.ts';
import { readFields } from './given-fields.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import type { MessageId, RoleName, ThreadId, TypeName } from '../../kernel/ids.ts';

/** What a caller wants to send. Null: not given; the text's own front matter counts then. */
interface SendRequest {
  /** The role that speaks. */
  readonly from: RoleName;
  readonly to: readonly RoleName[];
  readonly type: TypeName | null;
  readonly subject: string | null;
  /** `name=value`, as typed. */
  readonly fields: readonly string[];
  readonly attachments: readonly string[];
  readonly thread: ThreadId | null;
  readonly inReplyTo: MessageId | null;
  /** Without a thread it opens one; a message of a turn belongs to the turn's thread. */
  readonly opensThread?: boolean;
  /** The types that answer the message; null: it expects no answer, or there is no message. */
  readonly replies: readonly TypeName[] | null;
  readonly text: string;
  /** The whole text is the body; otherwise its front matter is read. */
  readonly plain?: boolean;
  /** The name of the text in error messages. */
  readonly source: string;
  /** How to give the text, for the error when there is none. */
  readonly remedy: string;
}

/**
 * The draft of a message, as far as it is determined before the controller judges it. Without a
 * readable protocol, the type is required. Throws `E_USAGE`, `E_UNKNOWN_NAME`, `E_PATH` or the
 * problems of the text.
 */
export function compose(wish: SendRequest, protocol: Protocol | null): Draft {
  const written = wish.plain === true ? { ...nothingSaid, body: wish.text } : readDraft(wish);
  if (wish.to.length === 0) throw new MailroomError('E_USAGE', 'no recipient is given');
  const named = [wish.from, ...wish.to.filter((role) => role !== workflowRole)];
  if (protocol) for (const role of named) known('role', role, protocol.roles);
  const thread = wish.thread ?? written.thread;
  const inReplyTo = wish.inReplyTo ?? written.inReplyTo;
  const isNew = wish.opensThread === true && thread === null && inReplyTo === null;
  const type = wish.type ?? written.type ?? impliedType(wish, protocol, isNew);
  if (protocol && wish.type !== null && builtInNamed(protocol, wish.type) === undefined)
    known('type', wish.type, protocol.types);
  for (const path of wish.attachments) refuseOutside(path);
  const subject = wish.subject ?? written.subject;
  if (written.body.trim() === '' && (subject ?? '').trim() === '')
    throw new MailroomError('E_USAGE', `there is nothing to send: ${wish.source} is empty`, wish.remedy);
  return {
    type,
    from: null,
    to: recipientsIn(wish, protocol?.types.get(type)),
    thread,
    inReplyTo,
    subject,
    attachments: [...written.attachments, ...wish.attachments],
    fields: { ...written.fields, ...readFields(wish.fields, protocol?.types.get(type)?.fields ?? {}) },
    extra: written.extra,
    body: written.body.endsWith('\n') || written.body === '' ? written.body : `${written.body}\n`,
    frontMatter: true,
  };
}

/** An answer goes to who asked, or where its type goes. */
function recipientsIn({ to, replies }: SendRequest, type: MessageType | undefined): readonly RoleName[] {
  if (type === undefined || replies?.includes(type.name) !== true) return to;
  return to.flatMap((asker) => answerGoesTo(type, asker));
}

function readDraft({ text, source }: SendRequest): Draft {
  const parsed = parseMessage(text, source);
  if (!parsed.ok) throw new ProblemsError(parsed.problems);
  return parsed.value;
}

/** The same check as for the front matter. */
function refuseOutside(path: string): void {
  if (isInside(path)) return;
  const hint = 'paths are relative to the project, without `..`';
  throw new MailroomError('E_PATH', `the path \`${path}\` would leave the project`, hint);
}

function known(what: 'role' | 'type', name: string, all: ReadonlyMap<string, unknown>): void {
  if (all.has(name)) return;
  const names = [...all.keys()];
  const choices = name.split('|');
  if (choices.length > 1 && choices.every((each) => all.has(each)))
    throw new MailroomError(
      'E_USAGE',
      `\`${name}\` lists the ${what}s to choose from`,
      `write one of them: ${choices.join(', ')}`,
    );
  const hint = didYouMean(name, names) ?? `the ${what}s are ${names.join(', ')}`;
  throw new MailroomError('E_UNKNOWN_NAME', `there is no ${what} \`${name}\``, hint);
}

/** The implied type: the only answer, the protocol's start, or the only type between the roles. */
function impliedType(
  { from, to, replies }: SendRequest,
  protocol: Protocol | null,
  isNew: boolean,
): TypeName {
  // A built-in request is answered by its built-in type, whatever else the protocol allows.
  const builtIn = replies?.find((name) =>
    protocol ? builtInNamed(protocol, name) : name === stepResult.name,
  );
  if (builtIn !== undefined) return builtIn;
  const between = replies === null ? typesBetween : answersBetween;
  const allowed = protocol ? to.map((role) => between(protocol, from, role).map(({ name }) => name)) : [];
  const [first = [], ...rest] = allowed;
  const common = first.filter((name) => rest.every((names) => names.includes(name)));
  const fitting = replies && protocol ? common.filter((name) => replies.includes(name)) : (replies ?? common);
  const unasked = replies === null && protocol ? fitting.filter((name) => !isReply(protocol, name)) : [];
  // A type that answers is implied only if no other is possible; in a new thread it would answer
  // nothing.
  if (replies === null && protocol && isNew && unasked.length === 0 && fitting.length > 0)
    throw new MailroomError(
      'E_FORBIDDEN',
      `${from} may send ${to.join(', ')} only answers: ${fitting.join(', ')}`,
      peopleWhoMay(protocol, from, to) ??
        'answer a message with `mailroom reply`; `mailroom inbox` lists what waits',
    );
  const choices = unasked.length > 0 ? unasked : fitting;
  const start = protocol?.start?.type;
  const [only] = choices;
  if (only !== undefined && choices.length === 1) return only;
  if (replies === null && start !== undefined && choices.includes(start)) return start;
  if (choices.length > 1)
    throw new MailroomError(
      'E_USAGE',
      `${from} may send ${to.join(', ')} messages of several types`,
      `add --type with one of ${choices.join(', ')}`,
    );
  if (!protocol)
    throw new MailroomError(
      'E_USAGE',
      'the type cannot be inferred: the protocol is invalid',
      '`mailroom check` shows what is wrong with it; or add --type',
    );
  throw mustNotWrite(protocol, from, to);
}

/** The error where a person must not write to roles. */
function mustNotWrite(protocol: Protocol, from: RoleName, to: readonly RoleName[]): MailroomError {
  const edit = `to allow it, name ${to.join(', ')} under \`to\` of a message type in protocols/`;
  return new MailroomError(
    'E_FORBIDDEN',
    `${from} must not write to ${to.join(', ')}`,
    peopleWhoMay(protocol, from, to) ?? `${maySend(protocol, from)}; ${edit}`,
  );
}

/** The other people who may begin a thread with these roles, in words; null: there are none. */
function peopleWhoMay(protocol: Protocol, from: RoleName, to: readonly RoleName[]): string | null {
  const isAllowed = (role: RoleName) =>
    to.every((other) => typesBetween(protocol, role, other).some(({ name }) => !isReply(protocol, name)));
  const people = peopleOf(protocol).filter((role) => role !== from && isAllowed(role));
  return people.length === 0 ? null : `${listed(people)} may: add \`--as ${people[0]!}\``;
}

function isReply(protocol: Protocol, name: TypeName): boolean {
  return [...protocol.types.values()].some(({ reply }) => reply.includes(name));
}

/** The roles that a message was sent to, those to whom it was escalated included. */
export function recipientsOf(state: MailState, message: Message): RoleName[] {
  return [...(state.mail.get(message.id)?.deliveries.keys() ?? message.to)];
}

/**
 * The people who may answer a message: those who still can, else all of them who received it.
 * Throws `E_TARGET` when no person did.
 */
export function addressees(state: MailState, protocol: Protocol, message: Message): RoleName[] {
  const mail = state.mail.get(message.id);
  const recipients = recipientsOf(state, message);
  const people = recipients.filter((role) => isHuman(protocol, role));
  if (people.length === 0)
    throw new MailroomError(
      'E_TARGET',
      `it was sent to ${recipients.join(', ')}, and to no person`,
      'say with --as for which role you answer',
    );
  const open = mail === undefined ? [] : mayAnswer(state, mail, people);
  return open.length > 0 ? open : people;
}
