import { isJsonObject, readExactJson, syntaxProblem, type Json } from '../kernel/json.ts';
import { areEqual, foldCase } from './compare.ts';
import type { Called, ExpressionFunction } from './language.ts';
import { expressionLimits } from './limits.ts';
import { isBounded, toJson, toText } from './values.ts';

function gives(value: Json): Called {
  return { ok: true, value };
}

function fails(message: string): Called {
  return { ok: false, message };
}

const tooLarge = 'the value is too long or nested too deeply';

/** Characters that take two UTF-16 units. */
const pairs = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

/** Characters of a string, entries of a list or mapping; null has length 0. */
function length([value]: readonly Json[]): Called {
  if (typeof value === 'string') return gives(value.length - (value.match(pairs)?.length ?? 0));
  if (Array.isArray(value)) return gives(value.length);
  if (isJsonObject(value)) return gives(Object.keys(value).length);
  return value == null ? gives(0) : fails(`a ${typeof value} has no length`);
}

/** A part of a string, or an entry of a list. */
function contains([whole = null, part = null]: readonly Json[]): Called {
  if (Array.isArray(whole)) return gives(whole.some((each) => areEqual(each, part, 'loose')));
  return onTexts(whole, part, (text, other) => text.toLowerCase().includes(other.toLowerCase()));
}

/** Tests two strings; false for lists and mappings. */
function onTexts(whole: Json, part: Json, test: (whole: string, part: string) => boolean): Called {
  const texts = [whole, part].map((each) =>
    typeof each === 'object' && each !== null ? null : toText(each),
  );
  const [text, other] = texts;
  return gives(text != null && other != null && test(text, other));
}

function toJsonText([value = null]: readonly Json[]): Called {
  const text = toJson(value, 2);
  return text === null ? fails(tooLarge) : gives(text);
}

/** A value that is not a string is returned unchanged. */
function fromJsonText([value = null]: readonly Json[]): Called {
  if (typeof value !== 'string') return gives(value);
  if (value.length > expressionLimits.resultText) return fails(tooLarge);
  const read = readExactJson(value);
  if (!read.ok) return fails((syntaxProblem(value) ?? read.problem).replace(/^it/, 'the text'));
  return isBounded(read.value) ? gives(read.value) : fails(tooLarge);
}

/**
 * The entries of a list as one string. As on GitHub, a single value is its own string and a mapping
 * is empty.
 */
function join([list = null, separator = ',']: readonly Json[]): Called {
  if (isJsonObject(list)) return gives('');
  const between = toText(separator);
  if (between === null) return fails(tooLarge);
  const parts: string[] = [];
  let rest: number = expressionLimits.resultText;
  for (const each of Array.isArray(list) ? list : [list]) {
    const text = toText(each);
    rest -= (text ?? '').length + (parts.length === 0 ? 0 : between.length);
    if (text === null || rest < 0) return fails(tooLarge);
    parts.push(text);
  }
  return gives(parts.join(between));
}

/** The functions that every language with `${{ }}` has. */
export const commonFunctions: readonly ExpressionFunction[] = [
  { kind: 'plain', name: 'length', least: 1, most: 1, gives: ['number'], call: length },
  { kind: 'plain', name: 'contains', least: 2, most: 2, gives: ['boolean'], call: contains },
  {
    kind: 'plain',
    name: 'startsWith',
    least: 2,
    most: 2,
    gives: ['boolean'],
    call: ([whole = null, part = null]) =>
      onTexts(whole, part, (text, other) => foldCase(text).startsWith(foldCase(other))),
  },
  {
    kind: 'plain',
    name: 'endsWith',
    least: 2,
    most: 2,
    gives: ['boolean'],
    call: ([whole = null, part = null]) =>
      onTexts(whole, part, (text, other) => foldCase(text).endsWith(foldCase(other))),
  },
  { kind: 'plain', name: 'toJSON', least: 1, most: 1, gives: ['string'], call: toJsonText },
  { kind: 'plain', name: 'fromJSON', least: 1, most: 1, gives: null, call: fromJsonText },
  { kind: 'plain', name: 'join', least: 1, most: 2, gives: ['string'], call: join },
  { kind: 'fallback', name: 'default', least: 2, most: Infinity, gives: null },
];
