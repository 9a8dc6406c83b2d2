/** Anything that JSON can say. What travels in journals and front matter is made of this. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** The value that a text says; undefined: it is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
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
