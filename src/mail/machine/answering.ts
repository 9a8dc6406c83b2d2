import type { Json } from '../../kernel/json.ts';
import { endOfId, type MessageId, type RoleName, type TypeName } from '../../kernel/ids.ts';
import type { TurnId } from '../../letters/target.ts';
import { codeSpan, fenced, shellWord } from '../../kernel/quoting.ts';
import { placeholderOf } from '../../kernel/placeholder.ts';
import { openAsksFor } from './fold/asks.ts';
import { nextTimeout } from './rules/expired-requests.ts';
import type { Mail, MailState, Turn } from './state.ts';
import { isStep } from './step.ts';
import {
  stepResult,
  typeNamed,
  type FieldType,
  type MessageType,
  type Protocol,
} from '../format/protocol.ts';

type Fields = Readonly<
  Record<string, { readonly type: string; readonly enum: readonly Json[] | null; readonly required: boolean }>
>;

/** The people among these who may still answer a request. */
export function mayAnswer(state: MailState, request: Mail, people: readonly RoleName[]): RoleName[] {
  return people.filter((role) => openAsksFor(state, request, role).length > 0);
}

/** The types that answer a request and that the protocol (still) has. */
export function answerTypes(protocol: Protocol, replies: readonly TypeName[]): TypeName[] {
  return replies.filter((name) => typeNamed(protocol, name) !== undefined);
}

/**
 * The command that answers what a turn waits for. `person`: whom its agent asks; null: any.
 * `changes`: those that are to land; null: it asks for something else.
 */
export function turnCommand(
  verb: 'approve' | 'reject',
  turn: TurnId,
  person: RoleName | null,
  changes: string | null = null,
): string {
  const what = changes === null ? [] : [`--changes ${changes}`];
  return [`mailroom ${verb} ${turn}`, ...what, ...asOption(person === null ? [] : [person])].join(' ');
}

/** The option for those who may answer; none for `user`, as whom everybody speaks. */
function asOption(people: readonly RoleName[]): string[] {
  return people.some((role) => role !== 'user') ? [`--as ${shellWord(people.join('|'))}`] : [];
}

/** The fields of these types, by name. */
export function answerFields(
  protocol: Protocol,
  types: readonly TypeName[],
): Readonly<Record<string, FieldType>> {
  return Object.assign({}, ...types.map((name) => protocol.types.get(name)?.fields ?? {})) as Record<
    string,
    FieldType
  >;
}

/** An answer as far as it is known. */
interface PartialAnswer {
  readonly id: MessageId;
  /** Who may answer; `--as` is required unless it is `user` alone; empty: it is known. */
  readonly as: readonly RoleName[];
  /** The types that answer; a single one need not be named. */
  readonly types: readonly TypeName[];
  /** The fields that an answer of these types still needs. */
  readonly fields: (types: readonly TypeName[]) => Fields;
  /** The options that were given, as words of the command line. */
  readonly given?: readonly string[];
  /** Its text was given. */
  readonly hasText?: boolean;
}

/**
 * The commands that send an answer, with everything that it still needs: one for each type if their
 * fields differ. Choices are one quoted word, `approved|rejected`: pasted unchanged it is refused
 * with the choices, and nothing is sent.
 */
export function replyCommands(answer: PartialAnswer): string[] {
  const { types, fields, given = [] } = answer;
  if (!differ(types, fields)) return [replyCommand(answer)];
  return types.map((type) => replyCommand({ ...answer, types: [type], given: [...given, '--type', type] }));
}

/** Whether answers of these types need different fields. */
function differ(types: readonly TypeName[], fields: PartialAnswer['fields']): boolean {
  return new Set(types.map((type) => JSON.stringify(fields([type])))).size > 1;
}

function replyCommand({ id, as, types, fields, given = [], hasText }: PartialAnswer): string {
  return [
    `mailroom reply ${endOfId(id)}`,
    ...given.map(shellWord),
    ...asOption(as),
    ...(types.length > 1 ? [`--type ${shellWord(types.join('|'))}`] : []),
    ...fieldOptions(fields(types)),
    ...(hasText === true ? [] : ['--message "…"']),
  ].join(' ');
}

/** The options for the required fields, with what stands in place of their values. */
export function fieldOptions(fields: Fields): string[] {
  const required = Object.entries(fields).filter(([, field]) => field.required);
  return required.map(([name, field]) => `--field ${shellWord(`${name}=${placeholder(field)}`)}`);
}

/** The fields that answers of these types need, for `replyCommands`. */
export function requiredFields(protocol: Protocol): PartialAnswer['fields'] {
  return (types) =>
    Object.fromEntries(Object.entries(answerFields(protocol, types)).filter(([, { required }]) => required));
}

/** The messages that a role may send; of a turn's role, which is woken with an answer. */
export function mayBeSent(types: readonly MessageType[], isTurn: boolean): string {
  const lines = types.map((type) => typeLine(type, isTurn));
  return `## What you may send\n\n${lines.length > 0 ? lines.join('\n') : 'Nothing.'}`;
}

/** The answers that are owed; empty: none. `turn` null: by a person, who has no turns. */
export function whatIsOwed(owed: readonly Mail[], turn: Pick<Turn, 'mustAnswer'> | null): string {
  if (owed.length === 0) return '';
  const lines = ['## What you owe', owed.map((mail) => owedLine(mail, turn !== null)).join('\n')];
  if (turn !== null)
    lines.push(
      turn.mustAnswer
        ? 'End this turn with the answer; you must not ask further questions now.'
        : 'End this turn with the answer, or with a request of your own if you cannot answer yet.',
    );
  return lines.join('\n\n');
}

function typeLine({ name, to, toAll, reply, closes, fields }: MessageType, isTurn: boolean): string {
  const values = Object.entries(fields).map(([field, { enum: allowed, type, required }]) => {
    const choices = allowed ? `: ${allowed.map((value) => JSON.stringify(value)).join(' | ')}` : ` (${type})`;
    return `\`${field}\`${choices}${required ? ', required' : ''}`;
  });
  const woken = isTurn ? ', and you are woken with the answer' : '';
  const asks = reply.length > 0 ? `; asks for ${reply.join(' or ')}${woken}` : '';
  const ends = closes ? '; ends the thread' : '';
  const all = toAll ? ' (always to all of them)' : '';
  return `- \`${name}\` to ${to.join(', ')}${all}${asks}${ends}${values.length > 0 ? `; fields: ${values.join('; ')}` : ''}`;
}

function owedLine({ message, request }: Mail, isTurn: boolean): string {
  if (isTurn && isStep(message))
    return `- the result of the step ${message.id}: your final text is it, whatever you send besides`;
  const types = request?.replies.map((type) => `\`${type}\``).join(' or ') ?? '';
  const { from, id, subject } = message;
  return `- ${types} in answer to ${from}, with \`in_reply_to: ${id}\`; its subject: ${codeSpan(subject)}`;
}

/**
 * How a person answers a request: what she may send and owes, until when, the command, and the file
 * to write. `people`: the human roles.
 */
export function answerGuide(
  state: MailState,
  protocol: Protocol,
  mail: Mail,
  role: RoleName,
  people: readonly RoleName[],
): string {
  const { message, request } = mail;
  const names = answerTypes(protocol, request?.replies ?? []);
  const types = names.map((name) => {
    const type = typeNamed(protocol, name) ?? stepResult;
    return type.to.length > 0 ? type : { ...type, to: [message.from] };
  });
  const fields = requiredFields(protocol);
  const isShared = role !== 'user' || mayAnswer(state, mail, people).length > 1;
  const given = isShared ? ['--as', role] : [];
  const commands = replyCommands({ id: message.id, as: [], types: names, fields, given });
  return [
    mayBeSent(types, false),
    whatIsOwed([mail], null),
    deadlineLine(state, protocol, mail),
    `To answer, replace the values and run${commands.length > 1 ? ' one of these' : ''}\n\n${fenced(commands.join('\n'), 'sh')}`,
    `or write a new file \`agents/${role}/outbox/answer.md\`:\n\n${fenced(answerFile(message.id, names, fields))}`,
    'Text that you write into this file here is not sent.',
  ].join('\n\n');
}

function deadlineLine(state: MailState, protocol: Protocol, mail: Mail): string {
  const deadline = state.deadlines.get(mail.message.id);
  if (deadline === undefined || mail.request === null) return 'There is no deadline.';
  const until = new Date(deadline).toISOString().slice(0, 16).replace('T', ' ');
  return `Without an answer until ${until} UTC, ${consequenceOf(state, protocol, mail)}.`;
}

const consequences = {
  escalate: (to: RoleName) => `${to} is asked as well`,
  proceed: () => 'the sender continues without an answer',
  fail: () => 'the thread fails',
} as const;

/** What happens to a request without an answer before its deadline. */
export function consequenceOf(state: MailState, protocol: Protocol, mail: Mail): string {
  return consequences[nextTimeout(state, protocol, mail)](mail.request?.escalateTo ?? '');
}

/** The file that answers, with a placeholder for each value that is not known. */
function answerFile(id: MessageId, types: readonly TypeName[], fields: PartialAnswer['fields']): string {
  const only = (name: string) => types.filter((type) => Object.hasOwn(fields([type]), name)).join(', ');
  const values = Object.entries(fields(types)).map(([name, field]) => {
    const value = JSON.stringify(`<${choicesOf(field).join(' | ')}>`);
    return `  ${name}: ${value}${differ(types, fields) ? ` # only for ${only(name)}` : ''}\n`;
  });
  return [
    `---\ntype: ${types.length === 1 ? types.join('') : JSON.stringify(`<${types.join(' | ')}>`)}\n`,
    `in_reply_to: ${id}\n`,
    ...(values.length > 0 ? ['fields:\n', ...values] : []),
    '---\nYour text.\n',
  ].join('');
}

/** What stands in place of a value: its choices, or its type. */
function placeholder(field: Fields[string]): string {
  return field.enum === null ? placeholderOf(field.type) : choicesOf(field).join('|');
}

function choicesOf({ enum: values, type }: Fields[string]): string[] {
  return values?.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))) ?? [type];
}
