import { withoutColours } from './terminal-colours.ts';

/** Where an output says what went wrong. */
export interface Failure {
  /** The index of the line. */
  readonly line: number;
  /** False: the line only says that something failed, not what. */
  readonly certain: boolean;
}

/* The program is bundled as ASCII, which leaves patterns as they are: their signs are escapes. */

/** What passed may well be named after an error. */
const passed =
  /^\s*(?:\u2713|\u2714|\u221a|ok\b|PASS\b|---? PASS)|\b(?:0|no) (?:errors?|fail(?:ed|ures)?)\b/i;

/** Lines by which test runners, compilers and runtimes say what went wrong. */
const marks = [
  /^\s*(?:\u2717|\u2718|\u2716|\u00d7)\s/,
  /\bFAIL(?:ED)?\b/,
  /\b(?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?:|\bAssertionError\b/,
  /\b(?:error|ERROR|fatal|FATAL)(?: TS\d+|\[E\d+\])?:/,
  /^\s+\d+:\d+\s+error\s/,
  /\bpanic: |\bpanicked at\b/,
  /^Traceback \(most recent call last\)/,
  /^E {2,}\S/,
  /^\S+\.go:\d+:\d+: /,
  /\bcommand not found\b|^(?:\S*\/)?(?:ba|da|z)?sh: .*: not found$/,
  /\((?:[A-Z]\w*::)*[A-Z]\w*Error\)$/,
  // npm prints its error first, then codes, paths, and where its log lies.
  /\bnpm (?:ERR!|error) (?!code |errno |syscall |path |command |cwd |dest |A complete log |Test failed|To see |$)\S/,
];

/** Lines that only say that something failed. */
const hints = /\bnpm (?:ERR!|error)|^make(?:\[\d+\])?: \*\*\* |\b(?:failed|failure|error)\b/i;

/**
 * The line of an output at which a person who asks what went wrong should begin to read: the first
 * that says what failed, else the last that says that something did. Null: none does.
 */
export function failureIn(lines: readonly string[]): Failure | null {
  let hint = -1;
  for (const [index, raw] of lines.entries()) {
    // A line that is so long is data.
    const line = withoutColours(raw.slice(0, 2_000));
    if (!hints.test(line) && !marks.some((mark) => mark.test(line))) continue;
    if (passed.test(line)) continue;
    if (marks.some((mark) => mark.test(line))) return { line: index, certain: true };
    hint = index;
  }
  return hint === -1 ? null : { line: hint, certain: false };
}

/** The exception of a traceback of Python: of several the last, which the program ended with. */
const exception = /^[A-Za-z_][\w.]*(?::|$)/;

/**
 * The line of a failed program's output that names the error, without colours: `Error: Cannot find
 * module 'x'`. Null: none does.
 */
export function namedFailure(lines: readonly string[]): string | null {
  const found = failureIn(lines);
  if (found?.certain !== true) return null;
  const from = lines.slice(found.line).map((line) => withoutColours(line.slice(0, 2_000)).trim());
  const [first = '', second = ''] = from;
  if (first.startsWith('Traceback ')) return from.findLast((line) => exception.test(line)) ?? first;
  // Such as "panicked at src/main.rs:2:5:" of Rust.
  return first.endsWith(':') ? `${first} ${second}`.trim() : first;
}
