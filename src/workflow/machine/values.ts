import { hasMatch } from '../../expressions/machine-functions.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
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
  if (!hasType(value, type.type)) return `must be ${article(type.type)}, and is ${kindOf(value)}`;
  if (type.pattern !== undefined && typeof value === 'string' && !hasMatch(type.pattern, value))
    return `must match ${type.pattern}`;
  if (type.enum !== null && !type.enum.some((each) => JSON.stringify(each) === JSON.stringify(value)))
    return `must be one of ${type.enum.map((each) => JSON.stringify(each)).join(', ')}`;
  if (type.items === null || !Array.isArray(value)) return null;
  for (const [index, item] of value.entries()) {
    const problem = misfit(item, type.items);
    if (problem !== null) return `has an entry ${String(index)} that ${problem}`;
  }
  return null;
}

function hasType(value: Json, type: ValueType['type']): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
  }
}

function article(type: string): string {
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return article(typeof value);
}
