import type { Scalar } from 'yaml';

/*
 * Where a character of a text stands in the YAML that the text was written in: quotes, escapes, indentation and folded
 * lines lie between them.
 */

/** A place in both: `at` in the YAML, `value` in the text. */
interface Position {
  readonly at: number;
  readonly value: number;
}

/** The offset in `source` at which the text of a scalar has its character number `offset`, or where it ends. */
export function sourceOffset(scalar: Scalar, source: string, offset: number): number {
  const [start, end] = scalar.range ?? [0, 0];
  const text = typeof scalar.value === 'string' ? scalar.value : source.slice(start, end);
  const next = stepper(scalar, source, text, end);
  let position = next.start;
  while (position.value < offset && position.at < end) {
    const after = next.step(position);
    // A character that stands for several, as an escaped one may, is marked where it begins.
    if (after.value > offset) break;
    position = after;
  }
  return next.settle(position);
}

interface Stepper {
  readonly start: Position;
  step(position: Position): Position;
  /** Past what belongs to no character: the indentation of a line that has just begun. */
  settle(position: Position): number;
}

function stepper(scalar: Scalar, source: string, text: string, end: number): Stepper {
  const begin = scalar.range?.[0] ?? 0;
  if (scalar.type === 'BLOCK_LITERAL' || scalar.type === 'BLOCK_FOLDED')
    return blockStepper(source, text, begin, end);
  const quoted = scalar.type === 'QUOTE_DOUBLE' || scalar.type === 'QUOTE_SINGLE';
  return {
    start: { at: begin + (quoted ? 1 : 0), value: 0 },
    step: (position) => flowStep(scalar.type, source, position),
    settle: ({ at }) => at,
  };
}

const fold = /[ \t]*\n[ \t\n]*/y;
const continuation = /\\[ \t]*\n[ \t]*/y;

/** One step in a plain or quoted text. */
function flowStep(type: Scalar['type'], source: string, { at, value }: Position): Position {
  if (type === 'QUOTE_DOUBLE' && source[at] === '\\') {
    const joined = matchLength(continuation, source, at);
    if (joined > 0) return { at: at + joined, value };
    const length = { x: 4, u: 6, U: 10 }[source[at + 1] ?? ''] ?? 2;
    const isPair = length === 10 && !source.startsWith('0000', at + 2);
    return { at: at + length, value: value + (isPair ? 2 : 1) };
  }
  if (type === 'QUOTE_SINGLE' && source.startsWith("''", at)) return { at: at + 2, value: value + 1 };
  const folded = matchLength(fold, source, at);
  if (folded === 0) return { at: at + 1, value: value + 1 };
  const lines = source.slice(at, at + folded).split('\n').length - 1;
  return { at: at + folded, value: value + Math.max(1, lines - 1) };
}

function matchLength(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0].length ?? 0;
}

/** Steps through the lines of a block: `|` keeps them, `>` joins them. */
function blockStepper(source: string, text: string, begin: number, end: number): Stepper {
  const header = /[^\n]*\n/y;
  const head = matchLength(header, source, begin);
  const indent = indentOf(
    source,
    begin + head,
    end,
    /^[|>][-+]?(\d)/.exec(source.slice(begin, begin + 3))?.[1],
  );
  const pastIndent = (at: number): number => {
    if (source[at - 1] !== '\n') return at;
    let past = at;
    while (past < at + indent && source[past] === ' ') past += 1;
    return past;
  };
  return {
    start: { at: begin + head, value: 0 },
    step: (position) => {
      const at = pastIndent(position.at);
      const isBreak = source[at] === '\n' && text[position.value] !== '\n' && text[position.value] !== ' ';
      return { at: at + 1, value: position.value + (isBreak ? 0 : 1) };
    },
    settle: ({ at }) => pastIndent(at),
  };
}

/** How far the lines of a block are indented: as the first one that says something. */
function indentOf(source: string, start: number, end: number, given: string | undefined): number {
  const lines = source.slice(start, end).split('\n');
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const found = first.length - first.trimStart().length;
  // An explicit indentation counts from that of the key, which the first line tells as well: spaces beyond it are text.
  if (given === undefined) return found;
  const least = lines
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  return Math.min(...least, found);
}
