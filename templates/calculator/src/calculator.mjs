/**
 * A small calculator. Every function takes two finite numbers and returns one; anything else, a
 * numeral in a string too, is a TypeError.
 */

/** Returns the value if it is a finite number; throws a TypeError otherwise. */
function checked(value) {
  if (!Number.isFinite(value)) throw new TypeError(`not a finite number: ${String(value)}`);
  return value;
}

/** Returns the sum of both numbers. */
export function add(a, b) {
  return checked(a) + checked(b);
}

/** Returns the product of both numbers. */
export function multiply(a, b) {
  return checked(a) * checked(b);
}
