import { MailroomError } from '../kernel/errors.ts';
import { ownValue, setOwn } from '../kernel/own.ts';

/**
 * Keeps long strings beside the JSON. `put` returns the name under which `get` finds the string
 * again.
 */
export interface TextStore {
  put(text: string): string;
  get(name: string): string;
}

/** A string with more UTF-16 units than this goes to the text store. */
export const longText = 65_536;

const loneSurrogate = /\p{Surrogate}/u;

/**
 * Turns a value of plain objects, arrays, maps, sets, strings, finite numbers, booleans and null
 * into JSON: a Map becomes `{"$map":[[key,value],…]}`, a set `{"$set":[…]}`, and with a text store
 * a long string becomes `{"$blob":"<name>"}`. Keys that begin with `$` get another `$`, so that
 * data cannot be mistaken for these. Leaves out undefined properties, as JSON does. Throws
 * `E_INTERNAL` for anything else.
 */
export function encode(value: unknown, texts: TextStore | null = null): unknown {
  if (typeof value === 'string') {
    // UTF-8 cannot encode a lone surrogate; JSON can, escaped.
    return texts !== null && value.length > longText && !loneSurrogate.test(value)
      ? { $blob: texts.put(value) }
      : value;
  }
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value;
  if (Array.isArray(value)) return encodeItems(value, texts);
  if (value instanceof Map) {
    return { $map: [...value].map(([key, item]) => [encode(key, texts), encode(item, texts)]) };
  }
  if (value instanceof Set) return { $set: [...value].map((item) => encode(item, texts)) };
  if (typeof value === 'object') return encodeObject(value, texts);
  throw new MailroomError('E_INTERNAL', `a ${typeof value} cannot be written to the journal`);
}

/** Most of a state is plain already: unchanged parts are not copied. */
function encodeItems(items: readonly unknown[], texts: TextStore | null): readonly unknown[] {
  const encoded = items.map((item) => encode(item, texts));
  return encoded.every((item, index) => item === items[index]) ? items : encoded;
}

function encodeObject(value: object, texts: TextStore | null): unknown {
  const record = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(record);
  let changed: [string, unknown][] | null = null;
  for (const [index, key] of keys.entries()) {
    const item = ownValue(record, key);
    const encoded = item === undefined ? undefined : encode(item, texts);
    const name = key.startsWith('$') ? `$${key}` : key;
    if (encoded !== item || name !== key)
      changed ??= keys.slice(0, index).map((one) => [one, ownValue(record, one)]);
    changed?.push([name, encoded]);
  }
  // `fromEntries` makes own properties even of a key such as `__proto__`.
  return changed === null ? record : Object.fromEntries(changed);
}

/**
 * The inverse of `encode`. Reuses and modifies the result of `JSON.parse` where it can: most of a
 * state is plain, and copying each object takes longer than parsing it. Throws `E_JOURNAL` for what
 * `encode` cannot have produced.
 */
export function decode(value: unknown, texts: TextStore | null = null): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return decodeItems(value, texts);
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record);
  for (const key of keys)
    if (key.startsWith('$') || key === '__proto__') return decodeNamed(record, keys, texts);
  for (const key of keys) {
    const item = ownValue(record, key);
    if (typeof item === 'object' && item !== null) setOwn(record, key, decode(item, texts));
  }
  return record;
}

/** A value that `encode` marked, or one with keys that must change or cannot be assigned to. */
function decodeNamed(
  record: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  texts: TextStore | null,
): unknown {
  const [only = ''] = keys;
  if (keys.length === 1 && /^\$[^$]/.test(only)) return decodeSpecial(only, ownValue(record, only), texts);
  return Object.fromEntries(
    Object.entries(record).map(([key, item]) => [
      key.startsWith('$') ? key.slice(1) : key,
      decode(item, texts),
    ]),
  );
}

function decodeItems(items: unknown[], texts: TextStore | null): unknown[] {
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (typeof item === 'object' && item !== null) items[index] = decode(item, texts);
  }
  return items;
}

function decodeSpecial(key: string, value: unknown, texts: TextStore | null): unknown {
  if (key === '$blob' && typeof value === 'string' && texts !== null) return texts.get(value);
  if (key === '$set' && Array.isArray(value)) return new Set(decodeItems(value, texts));
  // Each pair is an array, decoded in place like any other.
  if (key === '$map' && Array.isArray(value)) {
    return new Map(decodeItems(value, texts) as [unknown, unknown][]);
  }
  throw new MailroomError('E_JOURNAL', `the journal holds a value that this version cannot read: ${key}`);
}
