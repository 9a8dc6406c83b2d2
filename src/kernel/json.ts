import { faultIn, JsonFault, placeIn, walkJson, type JsonRules } from './json-walk.ts';
import { ownValue } from './own.ts';

/** Any JSON value. Journals and front matter consist of these. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** Copying, masking and printing recurse once per level, and must not run out of stack. */
const mostLevels = 200;

/**
 * The JSON value of a string, or why it has none. `levels`: maximum nesting of lists and objects.
 */
export function readJson(
  text: string,
  levels = mostLevels,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string } {
  let value: Json;
  try {
    value = JSON.parse(withoutMark(text)) as Json;
  } catch {
    return { ok: false, problem: 'it is not JSON' };
  }
  if (isNestedWithin(value, levels)) return { ok: true, value };
  return { ok: false, problem: `it is nested more than ${String(levels)} levels deep` };
}

/** Without the byte order mark that some programs begin a file with. */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Like `readJson`; undefined: not JSON, or nested more than 200 levels deep. */
export function parseJson(text: string): Json | undefined {
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}

/** Whether lists and objects lie in each other at most so many levels deep. */
export function isNestedWithin(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isNestedWithin(inner, levels - 1));
}

/** A key of an object, any other string, and where objects begin and end. */
const structure = /("(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"|[{}]/g;

/**
 * Whether an object in JSON has a key twice, so that readers may differ about its value. Of text
 * that is not JSON the answer means nothing.
 */
export function hasDoubledKey(text: string): boolean {
  const open: Set<string>[] = [];
  for (const [token, key] of text.matchAll(structure)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (key !== undefined) {
      const name = string(key);
      const names = open.at(-1);
      if (names?.has(name) === true) return true;
      names?.add(name);
    }
  }
  return false;
}

/** The first key that an object in JSON has twice, in words; null: there is none. */
function doubledKey(text: string): string | null {
  if (!hasDoubledKey(text)) return null;
  const key: JsonRules['key'] = (name, at, before) => {
    if (before.has(name)) throw new JsonFault(at, `the key \`${name.slice(0, 100)}\` is given twice`);
  };
  try {
    walkJson(text, { levels: mostLevels, key });
    return null;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return `${error.message} (${placeIn(text, error.at)})`;
  }
}

/** The string of a quoted one, however it is written. */
function string(quoted: string): string {
  const value = parseJson(quoted);
  return typeof value === 'string' ? value : quoted;
}

/**
 * Like `readJson`, for values that are kept: refuses numbers that cannot be represented exactly
 * (`1e400`, `9007199254740993`) and keys that are given twice, and names their place. What it reads
 * is equal to what is read back once it was written.
 */
export function readExactJson(marked: string, levels = mostLevels): ReturnType<typeof readJson> {
  const text = withoutMark(marked);
  const read = readJson(text, levels);
  if (!read.ok) return read;
  const problem = inexactNumber(text) ?? doubledKey(text);
  if (problem !== null) return { ok: false, problem };
  return { ok: true, value: withoutNegativeZero(read.value) };
}

/**
 * What is not JSON in a string, with its place and a part of its line, in which secrets may be cut;
 * null: it is JSON, or nested too deep to say.
 */
export function syntaxProblem(marked: string): string | null {
  const text = withoutMark(marked);
  try {
    walkJson(text, { levels: mostLevels });
    return null;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return error.isSyntax ? `it is not JSON: ${faultIn(text, error)}` : null;
  }
}

/** Like `readExactJson`; undefined: not such a value. */
export function parseExactJson(text: string): Json | undefined {
  const read = readExactJson(text);
  return read.ok ? read.value : undefined;
}

/** A quoted string, or a number. */
const literals = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The first number in JSON that cannot be represented exactly, in words; null: all can. */
export function inexactNumber(text: string): string | null {
  for (const { 0: figure, index } of text.matchAll(literals))
    if (!figure.startsWith('"') && !isExactNumber(figure))
      return `\`${figure.slice(0, 100)}\` (${placeIn(text, index)}) is a number that cannot be kept exactly; quote it to keep its digits`;
  return null;
}

/** JSON is written without negative zero. Changes the lists and objects in place. */
function withoutNegativeZero(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value;
  for (const [key, inner] of Object.entries(value)) {
    if (Object.is(inner, -0)) Object.defineProperty(value, key, { value: 0 });
    else withoutNegativeZero(inner);
  }
  return value;
}

/**
 * Whether a decimal number reads back as written, apart from leading and trailing zeros. Anything
 * else counts as exact.
 */
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

/** The keys and indexes that lead to a value. */
export type Path = readonly (string | number)[];

/** The value at a path; undefined: there is none. */
export function valueAt(value: Json, path: Path): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path)
    here = Array.isArray(here) ? here[Number(key)] : isJsonObject(here) ? ownValue(here, key) : undefined;
  return here;
}

/** Any JSON is left as it is: its type contains itself. */
export type DeepReadonly<T> = [Json] extends [T] ? T : Inner<T>;
type Inner<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** The type of what a schema of zod lets through. */
export type DocumentOf<Schema extends { readonly _zod: { readonly output: unknown } }> = DeepReadonly<
  Schema['_zod']['output']
>;
