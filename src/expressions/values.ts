import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { ownValue } from '../kernel/own.ts';
import { expressionLimits } from './limits.ts';
import type { Comparing } from './tree.ts';

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function typeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'boolean' | 'number' | 'string' | 'object';
}

/** As on GitHub: null, false, 0 and the empty string are false, lists and mappings are true. */
export function isTrue(value: Json): boolean {
  return Boolean(value);
}

/** As on GitHub; NaN for a value that cannot be converted. */
export function toNumber(value: Json): number {
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value);
}

/**
 * A value as part of a string: null is empty, lists and mappings are JSON. Null when nested too
 * deeply or too long.
 */
export function toText(value: Json): string | null {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? toJson(value, 0) : String(value);
}

/** A value as JSON; null when it is nested too deeply or its JSON would be too long. */
export function toJson(value: Json, indent: number): string | null {
  if (!isBounded(value)) return null;
  const text = JSON.stringify(value, null, indent);
  return text.length > expressionLimits.resultText ? null : text;
}

/**
 * True when a value is not nested too deeply and its JSON cannot be much longer than the maximum
 * for strings.
 */
export function isBounded(value: Json): boolean {
  return restAfter(value, 0, expressionLimits.resultText) >= 0;
}

/** How many characters remain after a value; negative when it does not fit. */
function restAfter(value: Json, depth: number, rest: number): number {
  if (typeof value === 'string') return rest - value.length - 2;
  if (typeof value !== 'object' || value === null) return rest - 1;
  if (depth >= expressionLimits.valueDepth) return -1;
  let left = rest - 2;
  if (Array.isArray(value)) {
    for (const part of value) {
      left = restAfter(part, depth + 1, left - 1);
      if (left < 0) return left;
    }
    return left;
  }
  for (const key of Object.keys(value)) {
    left = restAfter(value[key]!, depth + 1, left - key.length - 4);
    if (left < 0) return left;
  }
  return left;
}

/** The value of a key; undefined when there is none. Only own keys count, never the prototype's. */
export function lookUp(value: Json, key: Json, comparing: Comparing): Json | undefined {
  if (Array.isArray(value)) return elementOf(value, key, comparing);
  if (!isJsonObject(value) || (typeof key === 'object' && key !== null)) return undefined;
  if (comparing === 'exact' && typeof key !== 'string') return undefined;
  return property(value, toText(key) ?? '', comparing);
}

function elementOf(list: readonly Json[], key: Json, comparing: Comparing): Json | undefined {
  if (typeof key === 'number') return list[Math.floor(key)];
  return comparing === 'loose' && typeof key === 'string' && /^\d+$/.test(key)
    ? list[Number(key)]
    : undefined;
}

/** The exact key, else the first one that differs only in case when case does not count. */
export function property(map: JsonObject, key: string, comparing: Comparing): Json | undefined {
  const found = propertyName(Object.keys(map), key, comparing, (name) => Object.hasOwn(map, name));
  return found === undefined ? undefined : ownValue(map, found);
}

/**
 * Which of the names a word refers to, by the rule of paths: a checker must resolve names as the
 * evaluator does.
 */
function propertyName(
  names: Iterable<string>,
  wanted: string,
  comparing: Comparing,
  has: (name: string) => boolean,
): string | undefined {
  if (has(wanted)) return wanted;
  if (comparing === 'exact') return undefined;
  const folded = wanted.toUpperCase();
  for (const name of names) if (name.toUpperCase() === folded) return name;
  return undefined;
}
