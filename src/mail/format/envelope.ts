import type { Diagnostic } from '../../kernel/diagnostic.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import { isJsonObject } from '../../kernel/json.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { distance } from '../../kernel/nearest.ts';
import { setOwn } from '../../kernel/own.ts';
import { isInside } from '../../yaml/paths.ts';
import type { Located, Path } from '../../yaml/yaml.ts';

/**
 * The keys of an envelope. The controller assigns `id`, `created`, `commit`, `branch` and `landed`,
 * and ignores an author's values.
 */
const keys = [
  'id',
  'type',
  'from',
  'to',
  'thread',
  'in_reply_to',
  'subject',
  'created',
  'commit',
  'branch',
  'landed',
  'attachments',
  'fields',
] as const;

type Key = (typeof keys)[number];

/** The type of a value, in words. */
function kindOf(value: Json): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return { object: 'a mapping', string: 'a string', number: 'a number', boolean: 'true or false' }[
    typeof value as 'object'
  ];
}

/**
 * Whether a key differs from a known one only in style or by one letter; in a word of two letters,
 * only by an added letter.
 */
function isSlip(key: string, known: Key): boolean {
  if (key.toLowerCase().replaceAll('-', '_') === known) return true;
  return distance(known, key) === 1 && (known.length > 2 || key.length > 2);
}

/** Front matter, read key by key; errors go to `problems`. */
export class Envelope {
  readonly problems: Diagnostic[] = [];
  readonly #yaml: Located;
  readonly #values: JsonObject;

  constructor(yaml: Located) {
    this.#yaml = yaml;
    this.#values = isJsonObject(yaml.value) ? yaml.value : {};
    if (!isJsonObject(yaml.value) && yaml.value !== null) {
      this.#problem('E_MESSAGE', [], `front matter must be a mapping, not ${kindOf(yaml.value)}`, null);
    }
  }

  /** The value of a required key. */
  required<T>(key: Key, value: T | null): T {
    if (value !== null) return value;
    if ((this.#values[key] ?? null) === null) this.#problem('E_MESSAGE', [], `\`${key}\` is missing`, null);
    // With a problem recorded, the value is never used.
    return '' as T;
  }

  /** A timestamp in ISO 8601, as milliseconds since 1970. */
  time(key: Key): number {
    const text = this.required(key, this.name(key));
    const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(time) && text !== '')
      this.#wrong([key], text, 'must be a time such as 2026-11-21T20:45:12.000Z');
    return time;
  }

  text(key: Key): string | null {
    const value = this.#values[key] ?? null;
    if (value === null || typeof value === 'string') return value;
    return this.#wrong([key], value, 'must be a string');
  }

  name(key: Key): string | null {
    const value = this.text(key);
    return value === '' ? this.#wrong([key], value, 'must not be empty') : value;
  }

  /** A string, or a list of at least one, without duplicates. */
  names(key: Key): readonly string[] | null {
    const value = this.#values[key] ?? null;
    if (value === null) return null;
    const list = this.#texts(
      key,
      typeof value === 'string' ? [value] : value,
      'must be a string or a list of strings',
    );
    return list === null ? null : [...new Set(list)];
  }

  paths(key: Key): readonly string[] {
    const value = this.#values[key] ?? [];
    if (Array.isArray(value) && value.length === 0) return [];
    const list = this.#texts(key, value, 'must be a list of paths') ?? [];
    for (const [index, path] of Array.isArray(value) ? value.entries() : []) {
      if (typeof path !== 'string' || path === '' || isInside(path)) continue;
      const hint = 'paths are relative to the project, without `..`';
      this.#problem('E_PATH', [key, index], `the path \`${path}\` would leave the project`, hint);
    }
    return list;
  }

  map(key: Key): JsonObject {
    const value = this.#values[key] ?? {};
    if (isJsonObject(value)) return value;
    this.#wrong([key], value, 'must be a mapping');
    return {};
  }

  /** The unknown keys. One that nearly matches a known key is an error. */
  rest(): JsonObject {
    const extra: JsonObject = {};
    for (const [key, value] of Object.entries(this.#values)) {
      if (keys.includes(key as Key)) continue;
      const meant = keys.find((known) => isSlip(key, known));
      if (meant !== undefined) {
        this.#problem(
          'E_MESSAGE',
          [key],
          `\`${key}\` is not a key of a message`,
          `did you mean \`${meant}\`?`,
          'key',
        );
      }
      setOwn(extra, key, value);
    }
    return extra;
  }

  #texts(key: Key, value: Json, rule: string): string[] | null {
    if (!Array.isArray(value) || value.length === 0) return this.#wrong([key], value, rule);
    const texts: string[] = [];
    for (const [index, item] of value.entries()) {
      if (typeof item !== 'string') this.#wrong([key, index], item, 'must be a string');
      else if (item === '') this.#wrong([key, index], item, 'must not be empty');
      else texts.push(item);
    }
    return texts;
  }

  #wrong(path: Path, value: Json, rule: string): null {
    const number = typeof value === 'number' || typeof value === 'boolean';
    const empty = rule.endsWith('empty')
      ? ''
      : Array.isArray(value) && value.length === 0
        ? ', not empty'
        : `, not ${kindOf(value)}`;
    this.#problem('E_MESSAGE', path, `\`${path[0]}\` ${rule}${empty}`, number ? 'quote it' : null);
    return null;
  }

  #problem(code: ErrorCode, path: Path, message: string, hint: string | null, part?: 'key'): void {
    this.problems.push({ code, severity: 'error', message, place: this.#yaml.place(path, part), hint });
  }
}
