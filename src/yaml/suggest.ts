import { stringify } from 'yaml';
import { parseDuration } from '../kernel/duration.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { ownValue } from '../kernel/own.ts';

/**
 * Completes the hint of a key that does not exist here; a function writes it out of the key's
 * value.
 */
export type KeyHint = string | ((value: Json) => string);

/** What authors who know other tools write, and what to write here. */
export interface Habits {
  /**
   * By what a mapping is called, then by the key in it, `-` written as `_`; camel case is also
   * found as `a_b`.
   */
  readonly keys?: Readonly<Record<string, Readonly<Record<string, KeyHint>>>>;
  /** By the key, then by the wrong value in small letters. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** An example of the value of a key that is a list or a mapping, to be pasted behind it. */
  readonly shapes?: Readonly<Record<string, string>>;
}

/** The hint for a key, or null. */
export function keyHint({ keys }: Habits, title: string | null, key: string, value: Json): string | null {
  const known = ownValue(keys, title ?? '') ?? {};
  const name = key.replaceAll('-', '_');
  const snake = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  const hint = ownValue(known, name) ?? ownValue(known, snake) ?? null;
  return typeof hint === 'function' ? hint(value) : hint;
}

/** The hint for a wrong value of a key, or null. */
export function valueHint({ values }: Habits, key: string, value: unknown): string | null {
  const known = ownValue(values, key) ?? {};
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return Object.hasOwn(known, word) ? known[word]! : null;
}

/** By how "must be …" continues: the hint that writes the value right, or null. */
const forms: readonly (readonly [RegExp, (key: string, value: string) => string | null])[] = [
  [/^a list of a program/, (key, value) => write(key, argvText(value))],
  [/^a gate:/, (_key, value) => write('run', argvText(value))],
  [/^a duration/, (_key, value) => durationHint(value)],
  [/^a number of seconds$/, secondsHint],
];

/**
 * The hint for a string or a number of the wrong form, with the value as it was probably meant, or
 * null.
 */
export function formHint(expected: string, key: string, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const form = forms.find(([pattern]) => pattern.test(expected));
  return form?.[1](key, String(value).trim()) ?? null;
}

/**
 * A command line as a list in YAML: the program and its arguments, or a shell with the line where
 * it needs one.
 */
export function argvText(line: string): string {
  const expression = /\$\{\{.*?\}\}/gs;
  if (/[|&;<>()$`'"\\*?~#\n]/.test(line.replaceAll(expression, '')))
    return `[sh, -c, ${JSON.stringify(line)}]`;
  return flowText(line.match(/(?:\$\{\{.*?\}\}|\S)+/gs) ?? []);
}

/** The longest value that a hint writes out. */
const longest = 120;

/**
 * The hint where a list stands for a mapping, a mapping for a list, or a plain value for either: as
 * it was probably meant, if that is accepted, else an example. Null: neither is known.
 */
export function shapeHint(
  { shapes }: Habits,
  expected: string,
  key: string,
  value: unknown,
  accepts: (meant: unknown) => boolean,
): string | null {
  const isList = expected.startsWith('a list');
  if (value === null || (!isList && !expected.startsWith('a mapping'))) return null;
  const candidates = isList ? [[value]] : [byName(value), typeof value === 'string' ? { type: value } : null];
  const meant = candidates.find((each) => each !== null && accepts(each));
  const text = meant == null ? '' : flowText(meant as Json);
  if (text !== '' && text.length <= longest) return write(key, text);
  const example = Array.isArray(value) === isList ? undefined : ownValue(shapes, key);
  return example === undefined ? null : `for example \`${key}: ${example}\``;
}

/** A list of mappings that have names, as a mapping of these names; null: it is none. */
function byName(value: unknown): Json {
  if (!Array.isArray(value) || !value.every(isJsonObject)) return null;
  const entries = value.map(({ name, id, ...rest }) => [name ?? id, rest] as const);
  return entries.every(([name]) => typeof name === 'string') ? Object.fromEntries(entries) : null;
}

/** A value in the flow style of YAML, on one line. */
export function flowText(value: Json | readonly string[]): string {
  return stringify(value, {
    collectionStyle: 'flow',
    flowCollectionPadding: !Array.isArray(value),
    lineWidth: 0,
  }).trim();
}

function write(key: string, value: string): string {
  return `write \`${key}: ${value}\``;
}

/** `5 minutes` is 5m; a bare number could be seconds or minutes. */
function durationHint(value: string): string | null {
  if (/^[1-9]\d*$/.test(value)) return `did you mean \`${value}s\` or \`${value}m\`?`;
  const short = value.replaceAll(/\s+|(?<=\d\s*)(ms|[smhd](?!illi|o))[a-z]*/gi, (_all, unit = '') => unit);
  const time = short === value ? null : parseDuration(short);
  return time === null ? null : `did you mean \`${short}\`?`;
}

function secondsHint(key: string, value: string): string | null {
  const time = parseDuration(value);
  return time === null ? null : write(key, String(time / 1000));
}
