import type { z } from 'zod';
import type { Diagnostic } from '../kernel/diagnostic.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { listed } from '../kernel/enumerate.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { ownValue } from '../kernel/own.ts';
import { accepts, descriptionAt, keysAt } from './shape.ts';
import { formHint, keyHint, shapeHint, valueHint, type Habits } from './suggest.ts';
import type { Located, Path } from './yaml.ts';

type Issue = z.core.$ZodIssue;

/** The names of types in sentences. */
const words: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
};

function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  return Array.isArray(value) ? 'a list' : (words[typeof value] ?? typeof value);
}

/** Completes "must be …" where the schema has no words for it. */
function expectation(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type') return words[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return listed(issue.values.map(String), 'or');
  if (issue.code === 'too_small') return `at least ${String(issue.minimum)}`;
  if (issue.code === 'too_big') return `at most ${String(issue.maximum)}`;
  return 'something else';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here: unknown = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = ownValue(here as Record<PropertyKey, unknown>, key);
  }
  return here;
}

/** The number of values from which on zod's compiled check saves more than it takes to compile. */
const manyValues = 200;

/** Whether a document is so short that zod should check it without compiling its schema. */
export function hasFewValues(document: Json): boolean {
  let left = manyValues;
  const isWithin = (value: Json): boolean => {
    left -= 1;
    return left >= 0 && (typeof value !== 'object' || value === null || Object.values(value).every(isWithin));
  };
  return isWithin(document);
}

/**
 * Checks a document against a schema. Describes each error in words and marks its place: an unknown
 * key at the key, with the nearest known one; a missing key at the mapping that lacks it; a union
 * by the one form that the author seems to have meant, else once as a whole. Habits of other tools
 * get a hint of their own.
 */
export function checkShape<T>(
  schema: z.ZodType<T>,
  located: Located,
  habits: Habits = {},
): { readonly value: T | null; readonly problems: readonly Diagnostic[] } {
  const given = located.value ?? {};
  const result = schema.safeParse(given, { error: expectation, jitless: hasFewValues(given) });
  if (result.success) return { value: result.data, problems: [] };
  const reporter = new IssueReporter(schema, located, habits);
  for (const issue of result.error.issues) reporter.report(issue, []);
  return { value: null, problems: reporter.problems };
}

class IssueReporter {
  readonly problems: Diagnostic[] = [];
  readonly #schema: z.ZodType;
  readonly #located: Located;
  readonly #habits: Habits;

  constructor(schema: z.ZodType, located: Located, habits: Habits) {
    this.#schema = schema;
    this.#located = located;
    this.#habits = habits;
  }

  report(issue: Issue, base: readonly PropertyKey[]): void {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') return this.#unknownKeys(path, issue.keys);
    const value = valueAt(this.#located.value, path);
    if (value === undefined && path.length > 0) return this.#missing(path);
    if (issue.code === 'invalid_key')
      return this.#invalidKey(path, issue.issues[0]?.message ?? 'something else');
    const meant = issue.code === 'invalid_union' ? meantOption(issue.errors) : null;
    if (meant !== null) return meant.forEach((inner) => this.report(inner, path));
    this.#wrong(issue, path, value);
  }

  #wrong(issue: Issue, path: readonly PropertyKey[], value: unknown): void {
    const subject = subjectOf(path);
    const known = issue.code === 'invalid_value' ? issue.values.map(String) : [];
    const key = String(path.at(-1));
    const habit = valueHint(this.#habits, key, value);
    const near = typeof value === 'string' ? didYouMean(value, known) : null;
    const shape = shapeHint(this.#habits, issue.message, key, value, (meant) =>
      accepts(this.#schema, path, meant),
    );
    const bare = typeof value === 'number' || typeof value === 'boolean';
    const quote =
      bare && /^a (?:string|name)/.test(issue.message) ? `quote it: "${this.#written(path, value)}"` : null;
    this.#problem(
      'E_VALUE',
      path,
      `${subject} must be ${issue.message}${instead(issue, value)}`,
      habit ?? near ?? formHint(issue.message, key, value) ?? shape ?? quote,
    );
  }

  /** A number in its author's spelling: `1.0` is 1 and must not be quoted as that. */
  #written(path: readonly PropertyKey[], value: unknown): string {
    return this.#located.sourceOf?.(path as Path) ?? String(value);
  }

  #missing(path: readonly PropertyKey[]): void {
    const description = descriptionAt(this.#schema, path);
    const hint = description === null ? null : `\`${String(path.at(-1))}\`: ${description}`;
    const parent = path.slice(0, -1);
    this.#problem(
      'E_MISSING_KEY',
      parent,
      `\`${String(path.at(-1))}\` is missing${within(parent)}`,
      hint,
      'key',
    );
  }

  #invalidKey(path: readonly PropertyKey[], expected: string): void {
    this.#problem('E_VALUE', path, `\`${String(path.at(-1))}\` must be ${expected}`, null, 'key');
  }

  #unknownKeys(path: readonly PropertyKey[], unknown: readonly string[]): void {
    const found = valueAt(this.#located.value, path);
    const { keys, title } = keysAt(this.#schema, path, found);
    const place = title === null ? '' : ` of ${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`;
    for (const key of unknown) {
      const value = valueAt(this.#located.value, [...path, key]);
      const habit = keyHint(this.#habits, title, key, value as Json);
      const hint = habit ?? didYouMean(key, keys) ?? `the keys are ${keys.join(', ')}`;
      this.#problem('E_UNKNOWN_KEY', [...path, key], `\`${key}\` is not a key${place}`, hint, 'key');
    }
  }

  #problem(
    code: ErrorCode,
    path: readonly PropertyKey[],
    message: string,
    hint: string | null,
    part: 'key' | 'value' = 'value',
  ): void {
    const place = this.#located.place(path as Path, part);
    this.problems.push({ code, severity: 'error', message, place, hint });
  }
}

/** `, not …`: the given value, where that adds to the shown line. */
function instead(issue: Issue, value: unknown): string {
  if (Array.isArray(value) && value.length === 0) return ', not an empty list';
  if (issue.code === 'invalid_type')
    return typeof value === 'number' && issue.expected === 'int' ? '' : `, not ${kindOf(value)}`;
  if (issue.code !== 'invalid_union') return '';
  const fits = issue.errors.some((option) =>
    option.every((inner) => inner.path.length > 0 || inner.code !== 'invalid_type'),
  );
  return fits || typeof value === 'string' ? '' : `, not ${kindOf(value)}`;
}

/** The nearest key of a path, which is the subject of the sentence. */
function subjectOf(path: readonly PropertyKey[]): string {
  const key = path.findLast((step) => typeof step === 'string');
  if (key === undefined) return 'the file';
  return path.at(-1) === key ? `\`${key}\`` : `an item of \`${key}\``;
}

function within(path: readonly PropertyKey[]): string {
  const key = path.findLast((step) => typeof step === 'string');
  return key === undefined ? '' : ` in \`${key}\``;
}

/**
 * The form that the author seems to have meant, of several: the value has its type, and fewer keys
 * are missing or unknown than in any other. Null when none or more than one qualifies.
 */
function meantOption(options: readonly (readonly Issue[])[]): readonly Issue[] | null {
  let meant: readonly Issue[] | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const issues of options) {
    if (issues.some((issue) => issue.path.length === 0 && issue.code !== 'unrecognized_keys')) continue;
    const strange = issues
      .map((issue) =>
        issue.code === 'unrecognized_keys' ? issue.keys.length : Number(issue.path.length === 1),
      )
      .reduce((sum, each) => sum + each, 0);
    if (strange === least) meant = null;
    if (strange >= least) continue;
    least = strange;
    meant = issues;
  }
  return meant;
}
