import { answererOf } from '../kernel/answerer.ts';
import { MailroomError } from '../kernel/errors.ts';
import type { RoleName, TypeName } from '../kernel/ids.ts';
import type { Message } from '../mail/format/message.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import type { FieldType } from '../mail/format/protocol.ts';
import { parseMessage } from '../mail/format/read-message.ts';
import { fieldProblem } from '../mail/machine/rules/fields.ts';
import { answerFields, replyCommands } from '../mail/machine/answering.ts';
import { pickItem } from '../mail/questions/positions.ts';
import type { WaitingItem } from '../mail/questions/inbox.ts';
import { askFields, askLine, choose, missingFields, type AskedFields } from './asking.ts';
import { commandsFrom } from './called.ts';
import type { Context } from './context.ts';
import { caller } from './control.ts';
import { line, printable } from './format.ts';
import type { MessageOptions, Text } from './message-options.ts';

const otherwise = 'nothing was sent';

/** Whether a command may ask its caller: a person at a terminal who wants no document. */
export function mayAsk({ terminal, turn }: Context, { json }: { readonly json?: boolean }): boolean {
  return terminal.interactive && turn === null && json !== true;
}

/** The item that a word means, as `pickItem` says; where several wait, a person is asked. */
export async function pickWaiting(
  context: Context,
  items: readonly WaitingItem[],
  kinds: readonly WaitingItem['kind'][],
  word: string | null,
  options: { readonly json?: boolean },
): Promise<WaitingItem> {
  const fitting = items.filter(({ kind }) => kinds.includes(kind));
  if (word !== null || fitting.length < 2 || !mayAsk(context, options)) return pickItem(items, kinds, word);
  const choices = fitting.map(({ id, from, subject }) => ({ value: id, label: line(`${from}: ${subject}`) }));
  const id = await choose('Which one?', choices, otherwise);
  return fitting.find((item) => item.id === id) ?? pickItem(items, kinds, word);
}

/** Who may answer, and how somebody else is refused. */
interface Answerers {
  readonly question: string;
  /** Empty: everybody. */
  readonly allowed: readonly string[];
  /** The human roles, where roles answer; null: names. */
  readonly people: readonly RoleName[] | null;
  readonly refusal: (name: string) => MailroomError;
}

/**
 * The name of who answers: `--as`, else the caller. A person at a terminal who must not answer
 * under that name chooses another one; elsewhere it is refused.
 */
export async function whoAnswers(
  context: Context,
  options: { readonly as?: string; readonly json?: boolean },
  { question, allowed, people, refusal }: Answerers,
): Promise<string> {
  const name = options.as ?? caller(context);
  if (answererOf(name, allowed, people) !== null) return name;
  if (options.as !== undefined || !mayAsk(context, options)) throw refusal(name);
  return choose(question, allowed, otherwise);
}

/** A message that is answered, with what the protocol allows. */
export interface Answerable {
  readonly message: Message;
  /** Who answers it; null: one of `people`. */
  readonly from: RoleName | null;
  readonly people: readonly RoleName[];
  /** The types that answer it; empty: it asks for no answer. */
  readonly types: readonly TypeName[];
  /** Null: it cannot be read, so that types and fields are unknown. */
  readonly protocol: Protocol | null;
}

/** The parts of an answer that its author has given. */
interface GivenAnswer {
  readonly options: MessageOptions;
  readonly file: string | null;
  /** Null: none. */
  readonly text: Text | null;
}

/**
 * An answer with everything that it needs: asks a person for what is missing. Throws `E_USAGE` with
 * the complete command where no person can be asked.
 */
export async function completeAnswer(
  context: Context,
  answerable: Answerable,
  given: GivenAnswer,
): Promise<{ readonly from: RoleName; readonly options: MessageOptions; readonly text: Text }> {
  const { from: known, people, message } = answerable;
  const { options, text } = given;
  const missing = missingParts(answerable, given);
  if (known !== null && isComplete(missing) && text !== null) return { from: known, options, text };
  if (!mayAsk(context, options)) throw incomplete(context, answerable, given, missing);
  const about = line(`${message.type} from ${message.from}: ${message.subject}`);
  context.terminal.print(`${about}\n\n${printable(message.body).trimEnd()}\n\n`);
  const from = known ?? (await choose('Who answers?', people, otherwise));
  const type =
    missing.types.length > 1 ? await choose('Which answer?', missing.types, otherwise) : options.type;
  const typed = { ...options, ...(type === undefined ? {} : { type }) };
  const { fields } = missingParts(answerable, { ...given, options: typed });
  const field = [...(options.field ?? []), ...(await askFields(fields, otherwise, fieldProblem))];
  return { from, options: { ...typed, field }, text: text ?? (await askText(context, message)) };
}

/** The text, written in an editor; without one, on a line. */
async function askText({ call }: Context, message: Message): Promise<Text> {
  const text = (await edited(call, message)) ?? (await askOneLine(message));
  return { text, source: 'the answer', plain: true, remedy: '' };
}

const mark = '<!-- mailroom: everything below this line is left out -->';

async function edited(call: Context['call'], { from, type, subject, body }: Message): Promise<string | null> {
  const saved = await call.edit(`\n\n${mark}\n\n${from} asks (${type}): ${subject}\n\n${body}`);
  const text = saved?.split(mark, 1)[0]?.trim();
  if (text === '') throw new MailroomError('E_CANCELLED', `the text is empty: ${otherwise}`);
  return text ?? null;
}

function askOneLine({ subject }: Message): Promise<string> {
  return askLine(`Your answer to “${line(subject)}”`, otherwise, (given) =>
    given.trim() === '' ? 'write an answer, or press Escape to cancel' : null,
  );
}

interface Missing {
  /** The types to choose from; one or none: the type is known. */
  readonly types: readonly TypeName[];
  /** Those of the type that is known, or of all that are possible. */
  readonly fields: AskedFields<FieldType>;
  readonly text: boolean;
}

function missingParts({ types, protocol }: Answerable, { options, text }: GivenAnswer): Missing {
  const parsed = text === null || text.plain ? null : parseMessage(text.text, text.source);
  const draft = parsed?.ok === true ? parsed.value : null;
  const type = options.type ?? draft?.type ?? null;
  const possible = type === null ? types : [type];
  const given = [...Object.keys(draft?.fields ?? {}).map((name) => `${name}=`), ...(options.field ?? [])];
  const fields = protocol === null ? {} : missingFields(answerFields(protocol, possible), given);
  return { types: possible, fields, text: text === null };
}

function isComplete({ types, fields, text }: Missing): boolean {
  return types.length < 2 && Object.keys(fields).length === 0 && !text;
}

function incomplete(
  context: Context,
  answerable: Answerable,
  given: GivenAnswer,
  { types, fields, text }: Missing,
): MailroomError {
  const { from, people } = answerable;
  const lacks = [
    ...(from === null ? [`who answers (${people.join(' or ')})`] : []),
    ...(types.length > 1 ? [`its type (${types.join(' or ')})`] : []),
    ...(types.length > 1 ? [] : Object.entries(fields).map(inWords)),
    ...(text ? ['its text'] : []),
  ];
  const commands = replyCommands({
    id: answerable.message.id,
    as: from === null ? people : [],
    types,
    fields: (possible) => missingParts({ ...answerable, types: possible }, given).fields,
    given: givenWords(given),
    hasText: !text,
  });
  const hint = commandsFrom(context, commands.join('\n')).join('\n      ');
  return new MailroomError('E_USAGE', `the answer lacks ${lacks.join(', ')}`, hint);
}

function inWords([name, { enum: values, type }]: [string, AskedFields[string]]): string {
  const choices = values?.map((value) => JSON.stringify(value)).join(' or ');
  return `the field \`${name}\` (${choices ?? type})`;
}

/** An option as words of a command line, once for each value. */
export function optionWords(name: string, values: readonly (string | undefined)[]): string[] {
  return values.flatMap((value) => (value === undefined ? [] : [`--${name}`, value]));
}

/** The words of the command line by which an answer was given, without its message. */
function givenWords({ options, file, text }: GivenAnswer): string[] {
  return [
    ...(file === null ? [] : [file]),
    ...optionWords('as', [options.as]),
    ...optionWords('type', [options.type]),
    ...optionWords('subject', [options.subject]),
    ...optionWords('field', options.field ?? []),
    ...optionWords('attach', options.attach ?? []),
    ...optionWords('message', [options.message]),
    ...(text !== null && file === null && options.message === undefined ? ['-'] : []),
  ];
}
