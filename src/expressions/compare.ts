import type { Json } from '../kernel/json.ts';
import { expressionLimits } from './limits.ts';
import type { Comparing, ComparisonOperator } from './tree.ts';
import { toNumber } from './values.ts';

/**
 * Compares two values. Values that cannot be compared are unequal, and neither is less than the
 * other.
 */
export function compare(operator: ComparisonOperator, a: Json, b: Json, comparing: Comparing): boolean {
  const [left, right] = comparing === 'loose' ? alike(a, b) : [a, b];
  switch (operator) {
    case '==':
      return same(left, right);
    case '!=':
      return !same(left, right);
    case '<':
      return isLess(left, right);
    case '>':
      return isLess(right, left);
    case '<=':
      return same(left, right) || isLess(left, right);
    case '>=':
      return same(left, right) || isLess(right, left);
  }
}

/** True for equal values, as `==` compares them. */
export function areEqual(a: Json, b: Json, comparing: Comparing): boolean {
  return compare('==', a, b, comparing);
}

/**
 * The values that GitHub compares in place of two others: strings without case, and numbers when
 * the types differ. A list or mapping equals only one of the same type and content; GitHub compares
 * identity, which does not survive a restart.
 */
function alike(a: Json, b: Json): [Json, Json] {
  if (typeof a === 'string' && typeof b === 'string') return [foldCase(a), foldCase(b)];
  if (typeof a === typeof b && a !== null && b !== null) return [a, b];
  if (a === null && b === null) return [a, b];
  return [toNumber(a), toNumber(b)];
}

/**
 * A string for comparison without case: upper case, except for the dotless ı, which GitHub leaves
 * alone.
 */
export function foldCase(text: string): string {
  return text
    .split('ı')
    .map((part) => part.toUpperCase())
    .join('ı');
}

/** The same type and the same value. False for values that are nested too deeply. */
function same(a: Json, b: Json, depth = 0): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (depth >= expressionLimits.valueDepth) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((each, index) => same(each, b[index]!, depth + 1));
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(a[key]!, b[key]!, depth + 1));
}

/** Numbers are ordered, strings are (by code units), and, as on GitHub, false is less than true. */
function isLess(a: Json, b: Json): boolean {
  if (typeof a !== typeof b || typeof a === 'object' || a === null || b === null) return false;
  return a < b;
}
