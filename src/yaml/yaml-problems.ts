import type { Document, YAMLParseError } from 'yaml';
import type { Diagnostic } from '../kernel/diagnostic.ts';
import type { Source } from './source.ts';

/** Valid YAML that is not allowed here. */
export interface Refused {
  readonly kind: 'directive' | 'anchor' | 'alias' | 'tag';
  readonly start: number;
  readonly text: string;
}

const refusals: Readonly<Record<Refused['kind'], { readonly message: string; readonly hint: string }>> = {
  directive: { message: 'YAML directives are not allowed', hint: 'remove the line' },
  anchor: { message: 'YAML anchors are not allowed', hint: 'quote the value, if the `&` belongs to it' },
  alias: { message: 'YAML aliases are not allowed', hint: 'quote the value, if the `*` belongs to it' },
  tag: { message: 'YAML tags are not allowed', hint: 'quote the value, if the `!` belongs to it' },
};

const expressionHint = 'quote the expression: "${{ … }}"';

/** Hints for the parser's messages, by its code. */
const hints: Partial<Record<YAMLParseError['code'], string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'quote a value that contains `: `, or fix the indentation',
  BAD_SCALAR_START: 'quote a value that begins with this character',
  TAB_AS_INDENT: 'indent with spaces',
  MULTIPLE_DOCS: 'one file holds one document: remove the `---`',
};

/** The parser's messages, unchanged or reworded for people who do not know how it works. */
function messageOf(error: YAMLParseError): string {
  if (error.code === 'MULTIPLE_DOCS') return 'the file holds more than one YAML document';
  if (error.code === 'RESOURCE_EXHAUSTION') return 'the text is nested too deeply';
  if (error.code === 'BLOCK_AS_IMPLICIT_KEY') return 'a key cannot follow a value here';
  if (error.message.startsWith('Missing closing')) return 'a quoted text is not closed';
  const text = error.message.replace(/ at line \d+, column \d+:?.*$/s, '');
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

/**
 * All YAML errors of a text, in the order of the text, at most one a line: further ones on a line
 * are mostly consequences of the first.
 */
export function syntaxProblems(
  source: Source,
  documents: readonly Document.Parsed[],
  refused: readonly Refused[],
): Diagnostic[] {
  const found: { start: number; end: number; message: string; hint: string | null }[] = refused.map(
    (each) => ({
      start: each.start,
      end: each.start + each.text.length,
      ...refusals[each.kind],
    }),
  );
  for (const error of documents.flatMap((document) => document.errors)) {
    const [start, end] = error.pos;
    if (error.code === 'RESOURCE_EXHAUSTION') {
      // The depth limit depends on the stack, and later errors are consequences of unwinding.
      const line = source.text.lastIndexOf('\n', start - 1) + 1;
      found.push({ start: line, end: line + 1, message: messageOf(error), hint: null });
      break;
    }
    found.push({ start, end, message: messageOf(error), hint: hints[error.code] ?? null });
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
    const inExpression = place.text.includes('${{');
    problems.set(place.line, {
      code: 'E_YAML',
      severity: 'error',
      message,
      place,
      hint: inExpression ? expressionHint : hint,
    });
  }
  return [...problems.values()];
}
