import { RE2JS } from 're2js';
import { messageOf } from '../kernel/errors.ts';
import { isExactNumber, type Json } from '../kernel/json.ts';
import { ownValue } from '../kernel/own.ts';
import { areEqual, compare } from './compare.ts';
import type { Called, ExpressionFunction } from './language.ts';
import { expressionLimits } from './limits.ts';
import { toText } from './values.ts';

/*
 * Functions that not every language offers to authors, but that every workflow may be lowered to:
 * the machine evaluates all of them.
 */

function gives(value: Json): Called {
  return { ok: true, value };
}

function fails(message: string): Called {
  return { ok: false, message };
}

/** Concatenates values into one string. */
function concat(values: readonly Json[]): Called {
  let text = '';
  for (const value of values) {
    const next = toText(value);
    if (next === null || text.length + next.length > expressionLimits.resultText)
      return fails('the text is too long');
    text += next;
  }
  return gives(text);
}

/** A part of a format: an escaped brace, an index, or a brace that is neither. */
const placeholder = /\{\{|\}\}|\{(\d+)\}|[{}]/g;

/** As on GitHub: `{0}` is the first of the values, `{{` and `}}` are braces. */
function format([pattern = null, ...values]: readonly Json[]): Called {
  const text = toText(pattern);
  const problem = text === null ? 'the text is too long' : formatProblem(text, values.length);
  if (text === null || problem !== null) return fails(problem ?? '');
  const parts: Json[] = [];
  let at = 0;
  for (const found of text.matchAll(placeholder)) {
    const [all, index] = found;
    parts.push(text.slice(at, found.index), index === undefined ? all.slice(1) : values[Number(index)]!);
    at = found.index + all.length;
  }
  return concat([...parts, text.slice(at)]);
}

/** What a format lacks; null: nothing. */
function formatProblem(text: string, given: number): string | null {
  for (const [all, index] of text.matchAll(placeholder)) {
    if (all === '{' || all === '}') return `a brace itself is written \`${all}${all}\``;
    if (index !== undefined && Number(index) >= given)
      return `there is no value for \`${all}\`: the first is \`{0}\``;
  }
  return null;
}

/** A mapping from alternating names and values. */
function map(values: readonly Json[]): Called {
  if (values.length % 2 === 1) return fails('it wants a value behind each name');
  const entries: [string, Json][] = [];
  for (let at = 0; at + 1 < values.length; at += 2)
    entries.push([toText(values[at] ?? null) ?? '', values[at + 1]!]);
  return gives(Object.fromEntries(entries));
}

/** Whether a string contains another; case counts. */
function includes([text = null, part = null]: readonly Json[]): Called {
  const [whole, wanted] = [toText(text), toText(part)];
  return whole === null || wanted === null ? fails('the text is too long') : gives(whole.includes(wanted));
}

/** Parses a string as a number. */
function number([value = null]: readonly Json[]): Called {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  const read = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(read)) return fails(`${JSON.stringify(value)} is not a number`);
  // JSON has no negative zero.
  return isExactNumber(text) ? gives(read + 0) : fails(`${text} is a number that cannot be kept exactly`);
}

/** The next whole number below a number. */
function floor([value = null]: readonly Json[]): Called {
  return typeof value === 'number' ? gives(Math.floor(value)) : fails('it is not a number');
}

/** Converts milliseconds to seconds. */
function seconds([value = null]: readonly Json[]): Called {
  return typeof value === 'number' ? gives(Math.round(value) / 1_000) : fails('it is not a duration');
}

/** By letter: what RE2JS calls it. Its numbers are read when needed: few runs load the library. */
const flagNames: Readonly<Record<string, 'CASE_INSENSITIVE' | 'DOTALL' | 'MULTILINE'>> = {
  i: 'CASE_INSENSITIVE',
  s: 'DOTALL',
  m: 'MULTILINE',
};

/** The letters that `matches` accepts as flags. */
const patternFlags = Object.keys(flagNames);

/** Why a pattern is invalid; null: it is valid. */
export function patternProblem(pattern: string, flags: string): string | null {
  const compiled = compilePattern(pattern, flags);
  return typeof compiled === 'string' ? compiled : null;
}

/** Whether a valid pattern matches anywhere in a string; in linear time. */
export function hasMatch(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern, '');
  return typeof compiled !== 'string' && compiled.matcher(text).find();
}

function compilePattern(pattern: string, flags: string): RE2JS | string {
  const letters = flags.split('');
  const unknown = letters.find((flag) => ownValue(flagNames, flag) === undefined);
  if (unknown !== undefined) return `there is no flag \`${unknown}\`, only ${patternFlags.join(', ')}`;
  const bits = letters.reduce((sum, flag) => sum | RE2JS[flagNames[flag]!], 0);
  try {
    return RE2JS.compile(pattern, bits);
  } catch (error) {
    return `the pattern cannot be read: ${messageOf(error)}`;
  }
}

/**
 * Whether a pattern matches anywhere in a string; in time linear in the string for every pattern.
 */
function matches([text = null, pattern = null, flags = '']: readonly Json[]): Called {
  const [whole, wanted, letters] = [toText(text), toText(pattern), toText(flags)];
  if (whole === null || wanted === null || letters === null) return fails('the text is too long');
  const compiled = compilePattern(wanted, letters);
  return typeof compiled === 'string' ? fails(compiled) : gives(compiled.matcher(whole).find());
}

/** Its argument, which must exist: even in a condition, where other absent values read as null. */
const required: ExpressionFunction = {
  kind: 'required',
  name: 'required',
  least: 1,
  most: 1,
  gives: null,
};

/** The parts of a string between separators. */
function split([text = null, separator = ',']: readonly Json[]): Called {
  const [whole, between] = [toText(text), toText(separator)];
  if (whole === null || between === null) return fails('the text is too long');
  return between === '' ? fails('the separator is empty') : partsOf(whole, between);
}

/** The lines of a string, without an empty one at its end. */
function lines([text = null]: readonly Json[]): Called {
  const whole = toText(text);
  if (whole === null) return fails('the text is too long');
  return partsOf(whole.replaceAll('\r\n', '\n').replace(/\n$/, ''), '\n');
}

/** The parts of a string, none of an empty one. */
function partsOf(text: string, separator: string): Called {
  if (text === '') return gives([]);
  const parts = text.split(separator, expressionLimits.parts + 1);
  return parts.length > expressionLimits.parts
    ? fails(`there are more than ${String(expressionLimits.parts)} parts`)
    : gives(parts);
}

/** Whether a file or folder of this path exists, relative to the workspace of the run. */
const exists: ExpressionFunction = {
  kind: 'file',
  asks: 'exists',
  name: 'exists',
  least: 1,
  most: 1,
  gives: ['boolean'],
};

/** The files that match a glob, sorted, relative to the workspace of the run. */
const glob: ExpressionFunction = {
  kind: 'file',
  asks: 'glob',
  name: 'glob',
  least: 1,
  most: 1,
  gives: ['array'],
};

const plain = { kind: 'plain' } as const;

/** Whether a string matches a pattern of RE2, which cannot take exponential time. */
const matching: ExpressionFunction = {
  ...plain,
  name: 'matches',
  least: 2,
  most: 3,
  gives: ['boolean'],
  call: matches,
};

/** The functions that the syntax of other languages is lowered to. */
export const machineFunctions: readonly ExpressionFunction[] = [
  required,
  exists,
  glob,
  matching,
  { ...plain, name: 'split', least: 1, most: 2, gives: ['array'], call: split },
  { ...plain, name: 'lines', least: 1, most: 1, gives: ['array'], call: lines },
  { ...plain, name: 'concat', least: 1, most: Infinity, gives: ['string'], call: concat },
  {
    ...plain,
    name: 'format',
    least: 1,
    most: Infinity,
    gives: ['string'],
    call: format,
    literally: ([pattern, ...values]) =>
      pattern?.kind === 'literal' ? formatProblem(toText(pattern.value) ?? '', values.length) : null,
  },
  {
    ...plain,
    name: 'list',
    least: 0,
    most: Infinity,
    gives: ['array'],
    call: (values) => gives([...values]),
  },
  { ...plain, name: 'map', least: 0, most: Infinity, gives: ['object'], call: map },
  {
    ...plain,
    name: 'same',
    least: 2,
    most: 2,
    gives: ['boolean'],
    call: ([a = null, b = null]) => gives(areEqual(a, b, 'exact')),
  },
  {
    ...plain,
    name: 'less',
    least: 2,
    most: 2,
    gives: ['boolean'],
    call: ([a = null, b = null]) => gives(compare('<', a, b, 'exact')),
  },
  { ...plain, name: 'includes', least: 2, most: 2, gives: ['boolean'], call: includes },
  { ...plain, name: 'number', least: 1, most: 1, gives: ['number'], call: number },
  { ...plain, name: 'floor', least: 1, most: 1, gives: ['number'], call: floor },
  { ...plain, name: 'seconds', least: 1, most: 1, gives: ['number'], call: seconds },
];
