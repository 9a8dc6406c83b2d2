import { MailroomError } from '../../kernel/errors.ts';
import { parseExactJson, type Json } from '../../kernel/json.ts';
import { ownValue, setOwn } from '../../kernel/own.ts';

type Declared = Readonly<Record<string, { readonly type: string }>>;

/**
 * Values given as `name=value`, by name: JSON where it parses as JSON with exact numbers, unless
 * the field is a string. Throws `E_USAGE` for a pair without a value.
 */
export function readFields(given: readonly string[], declared: Declared): Record<string, Json> {
  const fields: Record<string, Json> = {};
  for (const pair of given) {
    const at = pair.indexOf('=');
    if (at <= 0)
      throw new MailroomError('E_USAGE', `\`--field ${pair}\` has no value`, 'write --field name=value');
    const name = pair.slice(0, at);
    setOwn(fields, name, fieldValue(pair.slice(at + 1), ownValue(declared, name)?.type ?? null));
  }
  return fields;
}

/** The value that these words mean for a field of this type; null: the type is unknown. */
export function fieldValue(text: string, type: string | null): Json {
  const value = type === 'string' ? undefined : parseExactJson(text);
  return value === undefined ? text : value;
}
