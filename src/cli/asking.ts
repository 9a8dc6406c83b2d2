import { MailroomError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { fieldValue } from '../mail/questions/given-fields.ts';

/*
 * Questions on a terminal. Each throws `E_CANCELLED` when the person cancels it (Ctrl-C, Escape);
 * `otherwise` says what did not happen then.
 */

/** A field that an answer has, with what is needed to ask for it. */
interface AskedField {
  readonly type: string;
  readonly enum: readonly Json[] | null;
  readonly required: boolean;
}

export type AskedFields<Field extends AskedField = AskedField> = Readonly<Record<string, Field>>;

/** The required fields that have no value among these, each `name=value`. */
export function missingFields<Field extends AskedField>(
  fields: AskedFields<Field>,
  given: readonly string[],
): AskedFields<Field> {
  const isMissing = (name: string) => !given.some((pair) => pair.startsWith(`${name}=`));
  return Object.fromEntries(
    Object.entries(fields).filter(([name, { required }]) => required && isMissing(name)),
  );
}

/**
 * Asks for the value of each field; returns them as `--field` takes them, each `name=value`.
 * `problemOf`: why a value is not accepted; null: it is.
 */
export async function askFields<Field extends AskedField>(
  fields: AskedFields<Field>,
  otherwise: string,
  problemOf: (name: string, value: Json, field: Field) => string | null,
): Promise<string[]> {
  const answers: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const values = field.enum ?? (field.type === 'boolean' ? [true, false] : null);
    const answer =
      values === null
        ? await askLine(`${name} (${field.type})?`, otherwise, (text) =>
            text === '' ? 'a value is required' : problemOf(name, fieldValue(text, field.type), field),
          )
        : await choose(
            `${name}?`,
            values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
            otherwise,
          );
    answers.push(`${name}=${answer}`);
  }
  return answers;
}

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Asks for one of several values, which are their own labels where they are strings. */
export async function choose(
  message: string,
  choices: readonly (Choice | string)[],
  otherwise: string,
  initialValue?: string,
): Promise<string> {
  const { isCancel, select } = await import('@clack/prompts');
  const options = choices.map((each) => (typeof each === 'string' ? { value: each, label: each } : each));
  const answer = await select({ message, options, ...(initialValue !== undefined && { initialValue }) });
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
