import type { Scalar } from 'yaml';

/*
 * Maps characters of a scalar's string to their places in the YAML text: quotes, escapes,
 * indentation and folded lines lie between them.
 */

/** A position in both: `at` in the YAML, `value` in the string. */
interface Position {
  readonly at: number;
  readonly value: number;
}

/**
 * Where in `source` the character number `offset` of a scalar's string begins (`start`), or the one
 * before it ends (`end`).
 */
export function sourceOffset(scalar: Scalar, source: string, offset: number, edge: 'start' | 'end'): number {
  const [start, end] = scalar.range ?? [0, 0];
  const text = typeof scalar.value === 'string' ? scalar.value : source.slice(start, end);
  const next = stepper(scalar, source, text, end);
  let position = next.start;
  while (position.value < offset && position.at < end) {
    const after = next.step(position);
    // A source character that yields several, such as an escape, is marked at its beginning.
    if (after.value > offset) break;
    position = after;
  }
  return edge === 'start' ? next.settle(position) : position.at;
}

interface Stepper {
  readonly start: Position;
  step(position: Position): Position;
  /**
   * Skips text that belongs to no character: the indentation of a line that has just begun, a line
   * continuation.
   */
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
    settle: ({ at }) => at + (scalar.type === 'QUOTE_DOUBLE' ? matchLength(continuation, source, at) : 0),
  };
}

const fold = /[ \t]*\n[ \t\n]*/y;
const continuation = /\\\n[ \t]*/y;

/** One step in a plain or quoted scalar. */
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

/** Steps through the lines of a block scalar: `|` keeps them, `>` joins them. */
function blockStepper(source: string, text: string, begin: number, end: number): Stepper {
  const header = /[^\n]*\n/y;
  const head = matchLength(header, source, begin);
  const indent = indentation(source.slice(begin + head, end)) - indentation(text);
  const pastIndent = (at: number): number => {
    if (source[at - 1] !== '\n') return at;
    let past = at;
    while (past < at + indent && source[past] === ' ') past += 1;
    return past;
  };
  /** A line break that only folds, and does not yield a character. */
  const isFold = (at: number, value: number): boolean =>
    source[at] === '\n' && text[value] !== '\n' && text[value] !== ' ';
  return {
    start: { at: begin + head, value: 0 },
    step: (position) => {
      const at = pastIndent(position.at);
      return { at: at + 1, value: position.value + (isFold(at, position.value) ? 0 : 1) };
    },
    settle: (position) => {
      let at = pastIndent(position.at);
      while (at < end && isFold(at, position.value)) at = pastIndent(at + 1);
      return at;
    },
  };
}

/** The indentation of the first line with content, in spaces. */
function indentation(text: string): number {
  const first = text.split('\n').find((line) => /[^ ]/.test(line)) ?? '';
  return first.length - first.replace(/^ +/, '').length;
}
