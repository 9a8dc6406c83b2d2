import { hasMatch } from '../../expressions/machine-functions.ts';
import { withArticle } from '../../kernel/enumerate.ts';
import type { Json } from '../../kernel/json.ts';
import { isAmong, isOfKind, oneOf } from '../../kernel/value-kind.ts';
import type { ValueType } from '../model.ts';

/** Values with defaults for those not given, and the problems found. */
interface CheckedValues {
  readonly values: Readonly<Record<string, Json>>;
  readonly problems: readonly string[];
  /** Undeclared names; they are not among the values. */
  readonly undeclared: readonly string[];
}

/** Checks values against their declared types. */
export function withDefaults(
  types: Readonly<Record<string, ValueType>>,
  given: Readonly<Record<string, Json>>,
): CheckedValues {
  const values: [string, Json][] = [];
  const problems: string[] = [];
  for (const [name, type] of Object.entries(types)) {
    const value = Object.hasOwn(given, name) ? given[name] : type.default;
    if (value === undefined) {
      if (type.required) problems.push(`\`${name}\` is missing`);
      continue;
    }
    const problem = misfit(value, type);
    if (problem === null) values.push([name, value]);
    else problems.push(`\`${name}\` ${problem}`);
  }
  const undeclared = Object.keys(given).filter((name) => !Object.hasOwn(types, name));
  return { values: Object.fromEntries(values), problems, undeclared };
}

/**
 * Why a value does not fit a type, as the end of a sentence that begins with its name; null: it
 * fits.
 */
export function misfit(value: Json, type: ValueType): string | null {
  if (!isOfKind(value, type.type)) return `must be ${withArticle(type.type)}, and is ${kindOf(value)}`;
  if (type.pattern !== undefined && typeof value === 'string' && !hasMatch(type.pattern, value))
    return `must match ${type.pattern}`;
  if (type.enum !== null && !isAmong(value, type.enum)) return `must be ${oneOf(type.enum)}`;
  if (type.items === null || !Array.isArray(value)) return null;
  for (const [index, item] of value.entries()) {
    const problem = misfit(item, type.items);
    if (problem !== null) return `has an entry ${String(index)} that ${problem}`;
  }
  return null;
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return withArticle(typeof value);
}
