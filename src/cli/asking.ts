import { MailroomError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import type { FieldType } from '../mail/format/protocol.ts';
import { fieldProblem } from '../mail/machine/rules/fields.ts';
import { fieldValue } from '../operations/given-fields.ts';

/*
 * Questions on a terminal. Each throws `E_CANCELLED` when the person cancels it (Ctrl-C, Escape);
 * `otherwise` says what did not happen then.
 */

/** A field that an answer has, with what is needed to ask for it. */
type AskedField = Pick<FieldType, 'type' | 'enum' | 'required'>;

export type AskedFields = Readonly<Record<string, AskedField>>;

/** The required fields that have no value among these, each `name=value`. */
export function missingFields(fields: AskedFields, given: readonly string[]): AskedFields {
  const isMissing = (name: string) => !given.some((pair) => pair.startsWith(`${name}=`));
  return Object.fromEntries(
    Object.entries(fields).filter(([name, { required }]) => required && isMissing(name)),
  );
}

/** Asks for the value of each field; returns them as `--field` takes them, each `name=value`. */
export async function askFields(fields: AskedFields, otherwise: string): Promise<string[]> {
  const answers: string[] = [];
  for (const [name, field] of Object.entries(fields))
    answers.push(`${name}=${await askField(name, field, otherwise)}`);
  return answers;
}

async function askField(name: string, field: AskedField, otherwise: string): Promise<string> {
  const values = field.enum ?? (field.type === 'boolean' ? [true, false] : null);
  if (values !== null) return choose(`${name}?`, values.map(asOption), otherwise);
  return askLine(`${name} (${field.type})?`, otherwise, (text) =>
    text === '' ? 'a value is required' : fieldProblem(name, fieldValue(text, field.type), field),
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

function asOption(value: Json): Choice {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { value: text, label: text };
}

/** Asks for one of several values. */
export async function choose(
  message: string,
  choices: readonly Choice[],
  otherwise: string,
): Promise<string> {
  const { isCancel, select } = await import('@clack/prompts');
  const answer = await select({ message, options: [...choices] });
  if (isCancel(answer)) throw new MailroomError('E_CANCELLED', otherwise);
  return answer;
}

/** Asks for one line. `problemOf`: why a line is not accepted; null: it is. */
export async function askLine(
  message: string,
  otherwise: string,
  problemOf: (text: string) => string | null,
): Promise<string> {
  const { isCancel, text } = await import('@clack/prompts');
  const answer = await text({ message, validate: (given) => problemOf(given ?? '') ?? undefined });
  if (isCancel(answer)) throw new MailroomError('E_CANCELLED', otherwise);
  return answer;
}
