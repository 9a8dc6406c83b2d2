import type { Json } from '../../../kernel/json.ts';
import type { FieldType, MessageType } from '../../format/protocol.ts';
import { nearest } from '../../../kernel/nearest.ts';
import { placeholderOf } from '../../../kernel/placeholder.ts';
import { withArticle } from '../../../kernel/enumerate.ts';
import { isAmong, isOfKind, oneOf } from '../../../kernel/value-kind.ts';
import { setOwn } from '../../../kernel/own.ts';

/** Why a value does not fit its field; null: it fits. */
export function fieldProblem(
  name: string,
  value: Json,
  field: Pick<FieldType, 'type' | 'enum'>,
): string | null {
  if (value === placeholderOf(field.type))
    return `field \`${name}\` still has the placeholder ${placeholderOf(field.type)}; write its value`;
  if (!isOfKind(value, field.type))
    return `field \`${name}\` must be ${withArticle(field.type)}, not ${JSON.stringify(value)}`;
  if (field.enum === null || isAmong(value, field.enum)) return null;
  return `field \`${name}\` must be ${oneOf(field.enum)}`;
}

/** The type of a field, in words for the prompt. */
function kindOf({ type, enum: allowed }: FieldType): string {
  return allowed ? allowed.map((one) => JSON.stringify(one)).join(' | ') : type;
}

/**
 * Checks fields against their type and fills in defaults. A type that declares no fields accepts
 * any.
 */
export function checkFields(
  type: MessageType,
  given: Readonly<Record<string, Json>>,
): { fields: Record<string, Json>; problems: string[] } {
  const declared = Object.entries(type.fields);
  const fields: Record<string, Json> = { ...given };
  const problems: string[] = [];
  for (const [name, field] of declared) {
    const value = Object.hasOwn(given, name) ? (given[name] as Json) : undefined;
    if (value !== undefined) {
      const problem = fieldProblem(name, value, field);
      if (problem) problems.push(problem);
    } else if (field.required)
      problems.push(`field \`${name}\` (${kindOf(field)}) is missing under \`fields:\``);
    else if (field.default !== null) setOwn(fields, name, field.default);
  }
  if (declared.length > 0)
    for (const name of Object.keys(given))
      if (!Object.hasOwn(type.fields, name)) {
        const near = nearest(name, Object.keys(type.fields));
        problems.push(
          `\`${type.name}\` has no field \`${name}\`${near ? `; did you mean \`${near}\`?` : ''}`,
        );
      }
  return { fields, problems };
}
