import { counted } from './enumerate.ts';
/** How much of a program's output an excerpt has at most; bytes in UTF-8. */
const most = { lines: 200, bytes: 16 * 1024 };

/** A longer line is cut to this many characters. */
const longestLine = 500;

/** Words and marks by which compilers and test programs report failures. */
const failing =
  /\b(?:fail(?:s|ed|ing|ure|ures)?|\w*(?:errors?|exceptions?)|panic(?:ked)?|fatal|traceback|not ok|undefined reference|cannot find)\b|[\u2716\u2717\u2718\u00d7]|^\s*E\s/i;

/** Counts of nothing, as in `# fail 0` and `0 errors`. */
const none = /\b(?:fail(?:ed|ures?)?|errors?):?\s+0\b|\b0\s+(?:fail(?:ed|ures?)?|errors?)\b/i;

/** Whether a line of a program's output looks like the report of a failure. */
export function looksLikeFailure(line: string): boolean {
  return failing.test(line) && !none.test(line);
}

/**
 * The lines of a failed program's output that show why it failed: all of them, or of more than 200
 * lines or 16 KB its end, the lines that look like failures with what follows them, and its
 * beginning. A line `[… 12 lines …]` stands for what is left out.
 */
export function outputExcerpt(output: string): string[] {
  const lines = linesOf(output);
  const chosen = new Chosen(lines);
  for (const at of inOrder(lines)) chosen.add(at);
  return chosen.lines();
}

function linesOf(output: string): string[] {
  const text = output.trim();
  return text === '' ? [] : text.split(/\r\n|\n|\r/).map((line) => cut(line.trimEnd()));
}

function cut(line: string): string {
  if (line.length <= longestLine) return line;
  const kept = line.slice(0, longestLine);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** The places of all lines, the most informative first; some of them twice. */
function* inOrder(lines: readonly string[]): Generator<number> {
  if (lines.length === 0) return;
  const last = lines.length - 1;
  const ends = Math.min(lines.length, 20);
  const failures = lines.flatMap((line, at) => (looksLikeFailure(line) ? [at] : []));
  yield* [last, 0, ...failures.slice(0, 1)];
  for (let at = 0; at < ends; at += 1) yield last - at;
  yield* failures.slice(0, 60);
  for (let at = 0; at < ends; at += 1) yield at;
  // What follows a failure explains it.
  for (const failure of failures.slice(0, 20))
    for (let at = failure + 1; at <= Math.min(last, failure + 6); at += 1) yield at;
  for (let at = 0; at <= last - at; at += 1) {
    yield last - at;
    yield at;
  }
}

/** Lines within the limits, each counted with the marks of the gaps that it leaves. */
class Chosen {
  readonly #all: readonly string[];
  readonly #places = new Set<number>();
  #lines = 0;
  #bytes = 0;
  #gaps: number;

  constructor(all: readonly string[]) {
    this.#all = all;
    this.#gaps = all.length > 0 ? 1 : 0;
  }

  /** Adds a line, unless the excerpt would be too long with it. */
  add(at: number): void {
    if (this.#places.has(at)) return;
    const isOpen = (place: number) => place >= 0 && place < this.#all.length && !this.#places.has(place);
    const gaps = this.#gaps - 1 + Number(isOpen(at - 1)) + Number(isOpen(at + 1));
    const bytes = this.#bytes + Buffer.byteLength(this.#all[at] ?? '') + 1;
    if (this.#lines + 1 + gaps > most.lines) return;
    if (bytes + gaps * gapBytes > most.bytes) return;
    this.#places.add(at);
    this.#lines += 1;
    this.#bytes = bytes;
    this.#gaps = gaps;
  }

  lines(): string[] {
    const found: string[] = [];
    let before = -1;
    for (const at of [...this.#places].toSorted((a, b) => a - b)) {
      if (at > before + 1) found.push(gapMark(at - before - 1));
      found.push(this.#all[at] ?? '');
      before = at;
    }
    const rest = this.#all.length - before - 1;
    return rest > 0 ? [...found, gapMark(rest)] : found;
  }
}

function gapMark(count: number): string {
  return `[… ${counted(count, 'line')} …]`;
}

/** No mark of a gap is longer, with its line break. */
const gapBytes = 40;
