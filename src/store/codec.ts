import { MailroomError } from '../core/errors.ts';

/** Keeps long texts beside the JSON. `put` returns the name under which `get` finds the text again. */
export interface TextStore {
  put(text: string): string;
  get(name: string): string;
}

/** A text with more UTF-16 units than this goes to the text store. */
export const longText = 65_536;

const loneSurrogate = /\p{Surrogate}/u;

/**
 * Makes a value of plain objects, arrays, maps, sets, strings, finite numbers, booleans and null into one that JSON can
 * carry: a map becomes `{"$map":[[key,value],…]}`, a set `{"$set":[…]}`, and with a text store a long text becomes
 * `{"$blob":"<name>"}`. Keys that begin with `$` get another `$`, so that nobody's data is taken for these.
 * Undefined properties are left out, as JSON does. Throws `E_INTERNAL` for anything else.
 */
export function encode(value: unknown, texts: TextStore | null = null): unknown {
  if (typeof value === 'string') {
    // UTF-8 cannot carry a lone surrogate; JSON can, escaped.
    return texts !== null && value.length > longText && !loneSurrogate.test(value)
      ? { $blob: texts.put(value) }
      : value;
  }
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item) => encode(item, texts));
  if (value instanceof Map) {
    return { $map: [...value].map(([key, item]) => [encode(key, texts), encode(item, texts)]) };
  }
  if (value instanceof Set) return { $set: [...value].map((item) => encode(item, texts)) };
  if (typeof value === 'object') return encodeObject(value, texts);
  throw new MailroomError('E_INTERNAL', `a ${typeof value} cannot be written to the journal`);
}

function encodeObject(value: object, texts: TextStore | null): unknown {
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) entries.push([key.startsWith('$') ? `$${key}` : key, encode(item, texts)]);
  }
  // `fromEntries` makes own properties even of a key such as `__proto__`.
  return Object.fromEntries(entries);
}

/** The inverse of `encode`. Throws `E_JOURNAL` for what `encode` cannot have made. */
export function decode(value: unknown, texts: TextStore | null = null): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => decode(item, texts));
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && /^\$[^$]/.test(only[0])) {
    return decodeSpecial(only[0], only[1], texts);
  }
  return Object.fromEntries(
    entries.map(([key, item]) => [key.startsWith('$') ? key.slice(1) : key, decode(item, texts)]),
  );
}

function decodeSpecial(key: string, value: unknown, texts: TextStore | null): unknown {
  if (key === '$blob' && typeof value === 'string' && texts !== null) return texts.get(value);
  if (key === '$set' && Array.isArray(value)) return new Set(value.map((item) => decode(item, texts)));
  if (key === '$map' && Array.isArray(value)) {
    return new Map(value.map((pair: [unknown, unknown]) => [decode(pair[0], texts), decode(pair[1], texts)]));
  }
  throw new MailroomError('E_JOURNAL', `the journal holds a value that this version cannot read: ${key}`);
}
