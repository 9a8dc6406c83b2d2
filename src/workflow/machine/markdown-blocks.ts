/** A fenced block of Markdown. */
export interface Fenced {
  /** The info string of the opening fence: `json`, `md plan.md`. */
  readonly info: string;
  /** The last non-blank line before the block. */
  readonly head: string;
  readonly text: string;
  /** Lines of the whole string, `end` exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The fenced blocks of a string; an unclosed one extends to the end. Linear. */
export function markdownBlocks(text: string): Fenced[] {
  const lines = text.split(/\r\n|\n|\r/);
  const found: Fenced[] = [];
  let head = '';
  for (let at = 0; at < lines.length; at += 1) {
    const [, fence, info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(lines[at] ?? '') ?? [];
    if (fence === undefined || (fence.startsWith('`') && info.includes('`'))) {
      if ((lines[at] ?? '').trim() !== '') head = lines[at] ?? '';
      continue;
    }
    const start = at;
    for (at += 1; at < lines.length && !closes(lines[at] ?? '', fence);) at += 1;
    found.push({ info: info.trim(), head, text: lines.slice(start + 1, at).join('\n'), start, end: at + 1 });
    head = '';
  }
  return found;
}

function closes(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === (fence[0] ?? '').repeat(trimmed.length);
}

/** A string without one of its blocks. */
export function withoutBlock(text: string, { start, end }: Fenced): string {
  return text
    .split(/\r\n|\n|\r/)
    .toSpliced(start, end - start)
    .join('\n');
}
