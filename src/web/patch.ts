/* Reads a patch as git writes it, purely. */

export interface PatchLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  /** Its number before and after the change; null: it is not there. */
  readonly before: number | null;
  readonly after: number | null;
  /** It is the last one of its file, and has no end. */
  readonly isUnended: boolean;
}

export interface Hunk {
  /** `@@ -1,2 +1,3 @@ function f()`, or what else says where it is. */
  readonly head: string;
  readonly lines: readonly PatchLine[];
}

export interface PatchFile {
  /** The path after the change, or that of a removed file. */
  readonly path: string;
  /** The path before, where it is another. */
  readonly from: string | null;
  /** What happened besides changed lines: `new file`, `mode 100644 → 100755`, `binary`. */
  readonly notes: readonly string[];
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

interface Draft {
  path: string;
  from: string | null;
  notes: string[];
  hunks: { head: string; lines: PatchLine[] }[];
  added: number;
  removed: number;
}

/** The files of a patch. What does not look like one is left out. */
export function readPatch(patch: string): PatchFile[] {
  const files: Draft[] = [];
  const lines = patch.split('\n');
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    const file = files.at(-1);
    at += 1;
    if (line.startsWith('diff --git ')) files.push(newFile(line));
    else if (file === undefined) continue;
    else if (line.startsWith('@@ ')) at = readHunk(file, line, lines, at);
    else readHeader(file, line);
  }
  return files;
}

function newFile(line: string): Draft {
  const rest = line.slice('diff --git '.length);
  const [, quoted] = /("b\/(?:[^"\\]|\\.)*")$/.exec(rest) ?? [];
  // Without quotes, both paths are the same unless the headers that follow say otherwise.
  const path = quoted === undefined ? rest.slice((rest.length + 1) / 2 + 2) : unquoted(quoted).slice(2);
  return { path, from: null, notes: [], hunks: [], added: 0, removed: 0 };
}

const mode = /^(old|new) mode (\d+)$/;

function readHeader(file: Draft, line: string): void {
  const [, key, value = ''] = /^(rename from|rename to|copy from|copy to|---|\+\+\+) (.*)$/.exec(line) ?? [];
  const path = unquoted(value.replace(/\t$/, ''));
  if (key === 'rename from' || key === 'copy from') {
    file.from = path;
    file.notes.push(key === 'rename from' ? 'renamed' : 'copied');
  } else if (key === 'rename to' || key === 'copy to') file.path = path;
  else if (key === '---' && path !== '/dev/null') file.path = path.replace(/^a\//, '');
  else if (key === '+++' && path !== '/dev/null') file.path = path.replace(/^b\//, '');
  else if (line.startsWith('new file mode')) file.notes.push('new');
  else if (line.startsWith('deleted file mode')) file.notes.push('deleted');
  else if (/^(?:Binary files|GIT binary patch)/.test(line)) file.notes.push('binary');
  const [, age, number = ''] = mode.exec(line) ?? [];
  if (age === 'old') file.notes.push(`mode ${number}`);
  else if (age === 'new') file.notes.push(`${file.notes.pop() ?? 'mode'} → ${number}`);
}

/** Reads the lines of a hunk by the counts of its head. Returns the index behind it. */
function readHunk(file: Draft, head: string, lines: readonly string[], from: number): number {
  const [, b = '1', beforeCount = '1', a = '1', afterCount = '1'] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(head) ?? [];
  let [before, after, left, right] = [Number(b), Number(a), Number(beforeCount), Number(afterCount)];
  const own: PatchLine[] = [];
  file.hunks.push({ head, lines: own });
  let at = from;
  for (; at < lines.length && (left > 0 || right > 0 || lines[at]!.startsWith('\\')); at += 1) {
    const line = lines[at]!;
    const [sign, text] = [line[0], line.slice(1)];
    const last = own.pop();
    if (sign === '\\' && last !== undefined) own.push({ ...last, isUnended: true });
    else if (last !== undefined) own.push(last);
    if (sign === '\\') continue;
    if (sign === '+') {
      own.push({ kind: 'added', text, before: null, after: after++, isUnended: false });
      [right, file.added] = [right - 1, file.added + 1];
    } else if (sign === '-') {
      own.push({ kind: 'removed', text, before: before++, after: null, isUnended: false });
      [left, file.removed] = [left - 1, file.removed + 1];
    } else if (sign === ' ' || line === '') {
      own.push({ kind: 'same', text, before: before++, after: after++, isUnended: false });
      [left, right] = [left - 1, right - 1];
    } else break;
  }
  return at;
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** A path that git has put into quotes: its bytes are escaped as in C. */
function unquoted(path: string): string {
  if (!/^".*"$/.test(path)) return path;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [, octal, letter, plain] of path.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0));
    else bytes.push(...encoder.encode(plain));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
