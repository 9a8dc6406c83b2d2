/**
 * Aho and Corasick's automaton over bytes (CACM 18(6), 1975): its state is the longest end of the input that begins one
 * of the patterns. State 0 is the start.
 */
export interface Automaton {
  /**
   * `row + columnOf[byte]` to the next row, where a row is a state times `columns`; as `~row` where a pattern ends, so that
   * the common byte costs one look and one comparison.
   */
  readonly next: Int32Array;
  readonly columns: number;
  /** Bytes that occur in no pattern share column 0. */
  readonly columnOf: Uint8Array;
  /** By state: the length of that longest end. */
  readonly depth: Int32Array;
  /** By state: the length of the longest pattern that ends here, or 0. */
  readonly match: Int32Array;
}

/** Patterns are UTF-8, which never uses all 256 bytes, and not empty. */
export function buildAutomaton(patterns: readonly Buffer[]): Automaton {
  const columnOf = new Uint8Array(256);
  let columns = 1;
  for (const byte of new Set(patterns.flatMap((pattern) => [...pattern]))) columnOf[byte] = columns++;
  const size = 1 + patterns.reduce((sum, pattern) => sum + pattern.length, 0);
  const next = new Int32Array(size * columns);
  const depth = new Int32Array(size);
  const match = new Int32Array(size);
  let states = 1;
  for (const pattern of patterns) {
    let state = 0;
    for (const byte of pattern) {
      const at = state * columns + columnOf[byte]!;
      if (next[at] === 0) {
        depth[states] = depth[state]! + 1;
        next[at] = states++;
      }
      state = next[at]!;
    }
    match[state] = pattern.length;
  }
  const automaton = { next, columns, columnOf, depth, match };
  linkFailures(automaton, size);
  for (const [at, state] of next.entries())
    next[at] = match[state]! > 0 ? ~(state * columns) : state * columns;
  return automaton;
}

/** Completes the transitions breadth first, so that running the automaton takes one step per byte. */
function linkFailures({ next, columns, match }: Automaton, size: number): void {
  const failure = new Int32Array(size);
  const queue = [0];
  for (const state of queue) {
    if (match[state] === 0) match[state] = match[failure[state]!]!;
    for (let column = 0; column < columns; column++) {
      const at = state * columns + column;
      const fallback = state === 0 ? 0 : next[failure[state]! * columns + column]!;
      const child = next[at]!;
      if (child === 0) next[at] = fallback;
      else {
        failure[child] = fallback;
        queue.push(child);
      }
    }
  }
}
