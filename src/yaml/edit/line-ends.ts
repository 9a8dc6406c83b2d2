/**
 * A text that an editor has written with line feeds, with the byte order mark and the line ends of
 * the text that it replaces: lines before and behind the changed ones keep their own, new ones get
 * that of the first line. A text with carriage returns keeps its line ends.
 */
export function withLineEnds(text: string, before: string): string {
  const mark = before.startsWith('\ufeff') ? '\ufeff' : '';
  if (!before.includes('\r\n') || text.includes('\r')) return mark + text.replace(/^\ufeff/, '');
  const old = linesOf(before);
  const now = linesOf(text);
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && isSame(old[head], now[head])) head += 1;
  let tail = 0;
  while (tail < most - head && isSame(old.at(-1 - tail), now.at(-1 - tail))) tail += 1;
  const usual = old[0]?.end ?? '';
  const oldEnd = (index: number): string | undefined => {
    if (index < head) return old[index]?.end;
    return index >= now.length - tail ? old[index - now.length + old.length]?.end : usual;
  };
  return mark + now.map(({ line, end }, index) => line + (end === '' ? '' : oldEnd(index))).join('');
}

interface Line {
  readonly line: string;
  /** Empty: the text ends without one. */
  readonly end: string;
}

function isSame(a: Line | undefined, b: Line | undefined): boolean {
  return a?.line === b?.line && (a?.end === '') === (b?.end === '');
}

function linesOf(text: string): Line[] {
  return [...text.replace(/^\ufeff/, '').matchAll(/([^\n]*?)(\r?\n|$)/g)]
    .map(([, line = '', end = '']) => ({ line, end }))
    .filter(({ line, end }) => line !== '' || end !== '');
}
