/** Anything that JSON can say. What travels in journals and front matter is made of this. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** Whatever copies, masks or prints a value calls itself for each level, and must not run out of stack. */
const mostLevels = 200;

/** The value that a text says, or why it says none. `levels`: how deep its lists and objects may be nested. */
export function readJson(
  text: string,
  levels = mostLevels,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string } {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return { ok: false, problem: 'it is not JSON' };
  }
  if (isNestedWithin(value, levels)) return { ok: true, value };
  return { ok: false, problem: `it is nested more than ${String(levels)} levels deep` };
}

/** The same; undefined: it is not JSON, or nested more than 200 levels deep. */
export function parseJson(text: string): Json | undefined {
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}

function isNestedWithin(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isNestedWithin(inner, levels - 1));
}

/** A text in quotes, or a number. */
const literals = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The same; undefined also where a number in it would not be kept as it is written: `1e400`, `9007199254740993`. */
export function parseExactJson(text: string): Json | undefined {
  const numbers = (text.match(literals) ?? []).filter((each) => !each.startsWith('"'));
  return numbers.every(isExactNumber) ? parseJson(text) : undefined;
}

/** Whether a decimal number reads back as it is written, apart from zeros at its ends. What is no decimal number counts as exact. */
export function isExactNumber(figure: string): boolean {
  const written = decimalOf(figure);
  return written === null || decimalOf(String(Number(figure))) === written;
}

/** `120.50` is `1205e-1`. */
function decimalOf(figure: string): string | null {
  const [all, sign = '', whole = '', part = '', power = '0'] =
    /^[+]?(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(figure) ?? [];
  if (all === undefined || whole + part === '') return null;
  const digits = (whole + part).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  return short === ''
    ? '0'
    : `${sign}${short}e${String(Number(power) - part.length + digits.length - short.length)}`;
}

/** True for a plain object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
