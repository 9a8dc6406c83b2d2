import type { Document, YAMLParseError } from 'yaml';
import type { Diagnostic } from '../kernel/diagnostic.ts';
import { oneLine } from '../kernel/one-line.ts';
import type { Source } from './source.ts';

/** Valid YAML that is not allowed here. */
export interface Refused {
  readonly kind: 'directive' | 'anchor' | 'alias' | 'tag';
  readonly start: number;
  readonly text: string;
}

/** Found token by token: refused syntax, and the offsets at which quoted strings begin. */
export interface Seen {
  readonly refused: Refused[];
  readonly quotes: number[];
}

const refusals: Readonly<Record<Refused['kind'], { readonly message: string; readonly hint: string }>> = {
  directive: { message: 'YAML directives are not allowed', hint: 'remove the line' },
  anchor: { message: 'YAML anchors are not allowed', hint: 'quote the value, if the `&` belongs to it' },
  alias: { message: 'YAML aliases are not allowed', hint: 'quote the value, if the `*` belongs to it' },
  tag: { message: 'YAML tags are not allowed', hint: 'quote the value, if the `!` belongs to it' },
};

const expressionHint = 'quote the expression: "${{ … }}"';

interface Wording {
  readonly message: string;
  readonly hint: string | null;
}

const wrongIndentation = 'a line is indented differently from those that it belongs to';
const sameColumn = 'indent all keys of a mapping, and all items of a list, by the same number of spaces';

const columns = /^All (?:mapping|sequence) items must start/;
const outside = / token in YAML stream/;

const afterQuote: Wording = {
  message: 'a quoted string has ended before the end of the value',
  hint: 'quote the whole value, or nothing of it',
};

/** The parser's messages, by how they begin, reworded for people who do not know how it works. */
const wordings: readonly (readonly [RegExp, Wording | ((text: string, line: string) => Wording)])[] = [
  [/^Implicit keys need|^Implicit map keys need/, missingColon],
  [columns, { message: wrongIndentation, hint: sameColumn }],
  [/^A block sequence may not/, { message: wrongIndentation, hint: sameColumn }],
  [/^Nested mappings/, nestedKey],
  [/^Missing closing/, { message: 'this quote is not closed', hint: 'close it where the string ends' }],
  [
    /^Flow (?:map|sequence) in block|^Flow (?:map|sequence) must end/i,
    {
      message: 'a bracket is not closed before this line',
      hint: 'close it, or indent the lines inside of it',
    },
  ],
  [
    /^Unexpected flow-(?:seq|map)-end/,
    { message: 'this bracket closes nothing', hint: 'remove it, or quote the value' },
  ],
  [
    /^Unexpected block-seq-ind/,
    { message: 'a list cannot begin on the line of its key', hint: 'begin it on the next line' },
  ],
  [/^Unexpected scalar at node end/, afterQuote],
  [
    /^Unexpected , in flow|^Unexpected empty item/,
    { message: 'nothing stands before this comma', hint: 'remove the comma' },
  ],
  [
    /^Block collections are not allowed/,
    {
      message: 'a key cannot follow a value here',
      hint: 'separate entries by commas, or quote a value that contains `: `',
    },
  ],
  [/^Missing , (?:between|or :)/, { message: 'a comma is missing before this', hint: null }],
  [
    /^Plain value cannot start/,
    { message: 'a value cannot begin with this character', hint: 'quote the value' },
  ],
  [
    /^Invalid escape sequence/,
    {
      message: 'a string in double quotes has no such escape sequence',
      hint: 'write `\\\\` for a backslash, or use single quotes',
    },
  ],
  [
    /^Block scalar header/,
    {
      message: 'text follows `|` or `>`',
      hint: 'begin the text on the next line, or quote a value that begins with it',
    },
  ],
  [
    /^The : indicator must be at most/,
    { message: 'a key has more than 1,024 characters', hint: 'shorten it' },
  ],
  [/^Tabs are not allowed/, { message: 'tabs are not allowed as indentation', hint: 'indent with spaces' }],
  [
    /^Comments must be/,
    { message: 'a space is missing before this comment', hint: 'quote the value, if the `#` belongs to it' },
  ],
];

/** A line that should be a key: `roles`, or `roles:x`, whose colon needs a space. */
function missingColon(text: string, line: string): Wording {
  const word = /\S.*/.exec(text)?.[0].trim() ?? '';
  if (/^["']/.test(word) && line.trim() !== word) return afterQuote;
  return missingSpace(text) ?? { message: `a \`:\` is missing after \`${oneLine(word, 80)}\``, hint: null };
}

function missingSpace(line: string): Wording | null {
  const [, key, value] = /^\s*(?:- )?([\w.-]+):([^\s/].*)/.exec(line) ?? [];
  if (key === undefined) return null;
  return { message: `a space is missing after the \`:\` of \`${key}\``, hint: `write \`${key}: ${value}\`` };
}

function nestedKey(_text: string, line: string): Wording {
  const hint = 'quote a value that contains `: `, or fix the indentation';
  return missingSpace(line) ?? { message: 'a key cannot follow a value here', hint };
}

function wordingOf(error: YAMLParseError, text: string, line: string): Wording {
  if (error.code === 'MULTIPLE_DOCS')
    return {
      message: 'the file holds more than one YAML document',
      hint: 'one file holds one document: remove the `---`',
    };
  if (error.code === 'RESOURCE_EXHAUSTION') return { message: 'the text is nested too deeply', hint: null };
  const wording = wordings.find(([pattern]) => pattern.test(error.message))?.[1];
  if (typeof wording === 'function') return wording(text, line);
  const plain = error.message.replace(/ at line \d+, column \d+:?.*$/s, '');
  return wording ?? { message: `${plain.slice(0, 1).toLowerCase()}${plain.slice(1)}`, hint: null };
}

const lineEndHint = 'let lines end with a line feed, not with a carriage return alone';

/**
 * All YAML errors of a document, in its order, at most one per line: further ones on a line are
 * mostly consequences of the first.
 */
export function syntaxProblems(
  source: Source,
  documents: readonly Document.Parsed[],
  { refused, quotes }: Seen,
): Diagnostic[] {
  const found: { start: number; end: number; message: string; hint: string | null }[] = refused.map(
    (each) => ({
      start: each.start,
      end: each.start + each.text.length,
      ...refusals[each.kind],
    }),
  );
  const errors = documents.flatMap((document) => document.errors);
  for (const [index, error] of errors.entries()) {
    // Lines below a key without its colon only seem to be indented wrongly.
    if (columns.test(error.message) && errors[index - 1]?.code === 'MULTILINE_IMPLICIT_KEY') continue;
    // Once the parser has left the document, nothing is where it belongs.
    if (outside.test(error.message) && errors.slice(0, index).some(({ message }) => outside.test(message)))
      break;
    const [at, end] = error.pos;
    const isOpen = error.message.startsWith('Missing closing');
    const start = (isOpen ? quotes.findLast((quote) => quote < at) : null) ?? at;
    if (error.code === 'RESOURCE_EXHAUSTION') {
      // The depth limit depends on the stack, and later errors are consequences of unwinding.
      const line = source.text.lastIndexOf('\n', start - 1) + 1;
      found.push({ start: line, end: line + 1, ...wordingOf(error, '', '') });
      break;
    }
    found.push({
      start,
      end,
      ...wordingOf(error, source.text.slice(start, end), source.place(start, end).text),
    });
  }
  const second = documents[1]?.range[0];
  if (second !== undefined) {
    const message = 'the file holds more than one YAML document';
    found.push({ start: second, end: second + 1, message, hint: 'remove the `---` that divides them' });
  }
  const problems = new Map<number, Diagnostic>();
  for (const { start, end, message, hint } of found.toSorted((a, b) => a.start - b.start)) {
    const place = source.place(start, end);
    if (problems.has(place.line)) continue;
    const ofLine = place.text.includes('${{') ? expressionHint : hint;
    problems.set(place.line, {
      code: 'E_YAML',
      severity: 'error',
      message,
      place,
      hint: place.text.includes('\r') ? lineEndHint : ofLine,
    });
  }
  return [...problems.values()];
}
