import { endOfId, type MessageId, type RoleName, type TypeName } from '../../kernel/ids.ts';
import { shellWord } from '../../kernel/quoting.ts';
import { openAsksFor } from './fold/asks.ts';
import type { Mail, MailState } from './state.ts';
import { stepResult, type FieldType, type Protocol } from '../format/protocol.ts';

type Fields = Readonly<Record<string, Pick<FieldType, 'type' | 'enum' | 'required'>>>;

/** The people among these who may still answer a request. */
export function mayAnswer(state: MailState, request: Mail, people: readonly RoleName[]): RoleName[] {
  return people.filter((role) => openAsksFor(state, request, role).length > 0);
}

/** The types that answer a request and that the protocol (still) has. */
export function answerTypes(protocol: Protocol, replies: readonly TypeName[]): TypeName[] {
  return replies.filter((name) => protocol.types.has(name) || name === stepResult.name);
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
  /** Who may answer; empty or one: nobody has to say who does. */
  readonly as: readonly RoleName[];
  /** The types that answer; one: it goes without saying. */
  readonly types: readonly TypeName[];
  readonly fields: Fields;
  /** The options that were given, as words of the command line. */
  readonly given?: readonly string[];
  /** Its text was given. */
  readonly hasText?: boolean;
}

/**
 * The command that sends an answer, with everything that it still needs. Choices are one quoted
 * word, `approved|rejected`: pasted unchanged it is refused with the choices, and nothing is sent.
 */
export function replyCommand({ id, as, types, fields, given = [], hasText }: PartialAnswer): string {
  const required = Object.entries(fields).filter(([, field]) => field.required);
  return [
    `mailroom reply ${endOfId(id)}`,
    ...given.map(shellWord),
    ...(as.length > 1 ? [`--as ${shellWord(as.join('|'))}`] : []),
    ...(types.length > 1 ? [`--type ${shellWord(types.join('|'))}`] : []),
    ...required.map(([name, field]) => `--field ${shellWord(`${name}=${placeholder(field)}`)}`),
    ...(hasText === true ? [] : ['--message "…"']),
  ].join(' ');
}

/** What stands in place of a value: its choices, or its type. */
function placeholder({ enum: values, type }: Pick<FieldType, 'type' | 'enum'>): string {
  if (values === null) return `<${type}>`;
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('|');
}
