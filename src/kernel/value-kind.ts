import { isJsonObject, type Json } from './json.ts';

/** The kinds of values that a type can require; messages call an array a list. */
type ValueKind = 'any' | 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'list' | 'object';

export function isOfKind(value: Json, kind: ValueKind): boolean {
  switch (kind) {
    case 'any':
      return true;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === kind;
  }
}

/** Whether a value is among those that an `enum` allows; null: it allows any. */
export function isAmong(value: Json, allowed: readonly Json[] | null): boolean {
  return allowed === null || allowed.some((one) => JSON.stringify(one) === JSON.stringify(value));
}

/** The values of an `enum` in a sentence: `one of "a", "b"`. */
export function oneOf(allowed: readonly Json[]): string {
  return `one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`;
}
