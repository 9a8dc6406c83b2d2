import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { Source } from '../../yaml/source.ts';

/** The longest front matter that is read, in characters. */
export const largestFrontMatter = 64 * 1024;

/** A text, cut where its front matter ends. `front` is null where there is none; it begins on line 2 of the file. */
export type Split =
  | { readonly ok: true; readonly front: string | null; readonly body: string }
  | { readonly ok: false; readonly problem: Diagnostic };

/**
 * Divides a message into front matter and body. Front matter is there only when line 1 is exactly `---`. Other readers
 * take `---js` for a language and run it; here every such line is refused, never obeyed. A line of four or more dashes
 * is a rule in the prose. `longest`: in characters.
 */
export function splitFrontMatter(text: string, file: string, longest = largestFrontMatter): Split {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!clean.startsWith('---')) return { ok: true, front: null, body: clean };
  const newline = clean.indexOf('\n');
  const first = newline === -1 ? clean : clean.slice(0, newline);
  if (/^-{4,}\s*$/.test(first)) return { ok: true, front: null, body: clean };
  const source = new Source(file, clean.slice(0, first.length));
  if (first !== '---') {
    const message = `front matter opens with exactly \`---\`, and nothing after it on line 1 is read or run`;
    return refuse(
      source,
      3,
      first.length,
      message,
      'let line 1 be `---`, or begin a plain message with a word',
    );
  }
  const close = closingLine(clean, longest);
  if (close === null) {
    const whole = clean.length <= longest;
    const message = whole
      ? 'front matter is opened and not closed'
      : 'front matter is not closed within 64 KiB';
    return refuse(source, 0, 3, message, 'end it with a line `---`');
  }
  return { ok: true, front: clean.slice(4, close), body: clean.slice(close + 4) };
}

/** Where the line `---` that closes front matter begins. */
function closingLine(text: string, longest: number): number | null {
  const head = text.slice(0, longest + 8);
  for (let at = head.indexOf('\n---', 3); at !== -1; at = head.indexOf('\n---', at + 1)) {
    const after = head[at + 4];
    if (after === '\n' || after === undefined) return at - 3 > longest ? null : at + 1;
  }
  return null;
}

function refuse(source: Source, start: number, end: number, message: string, hint: string): Split {
  return {
    ok: false,
    problem: { code: 'E_MESSAGE', severity: 'error', message, place: source.place(start, end), hint },
  };
}
