import matter from '@11ty/gray-matter';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { Source } from '../../yaml/source.ts';

/** The maximum length of front matter, in characters. */
const largestFrontMatter = 64 * 1024;

/**
 * A string, split at the end of its front matter. `front` is null without front matter; it begins
 * on line 2 of the file.
 */
type Split =
  | { readonly ok: true; readonly front: string | null; readonly body: string }
  | { readonly ok: false; readonly problem: Diagnostic };

/**
 * Splits a message into front matter and body. It has front matter only when line 1 is exactly
 * `---`, and the next line that begins so is exactly `---`, too. Four or more dashes on line 1 are
 * a horizontal rule. Executes nothing. `longest`: in characters; `line`: the number of its line 1.
 */
export function splitFrontMatter(text: string, file: string, longest = largestFrontMatter, line = 1): Split {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!clean.startsWith('---') || /^-{4,}[^\S\n]*(?:\n|$)/.test(clean))
    return { ok: true, front: null, body: clean };
  const problem = faultOf(new Source(file, clean, line), longest);
  if (problem !== null) return { ok: false, problem };
  const cut = matter(clean, { engines });
  return { ok: true, front: `${cut.matter}\n`.slice(1), body: cut.content };
}

/** Parsing the block is left to the caller, who needs the places. */
const engines = { yaml: () => ({}) };

/** In a run of blank lines gray-matter scans from each of them to the end of the run. */
const tooManyBlankLines = /\n(?:[^\S\n]*\n){100}/;

/**
 * Why gray-matter must not parse a string that begins with `---`; null where it splits the text as
 * `splitFrontMatter` does.
 */
function faultOf(source: Source, longest: number): Diagnostic | null {
  const { text } = source;
  const refuse = (start: number, end: number, message: string, hint: string): Diagnostic => {
    const place = source.place(start, end);
    return { code: 'E_MESSAGE', severity: 'error', message, place, hint };
  };
  const [first = ''] = text.split('\n', 1);
  if (first !== '---') {
    const message = `front matter opens with exactly \`---\`, and nothing after it on line 1 is read or run`;
    return refuse(3, first.length, message, 'let line 1 be `---`, or begin a plain message with a word');
  }
  const end = text.slice(0, longest + 8).indexOf('\n---', 3);
  if (end === -1 || end - 3 > longest) {
    const message =
      text.length <= longest
        ? 'front matter is opened and not closed'
        : 'front matter is not closed within 64 KiB';
    return refuse(0, 3, message, 'end it with a line `---`');
  }
  const [last = ''] = text.slice(end + 1).split('\n', 1);
  if (last !== '---') {
    const message = 'front matter is closed by exactly `---`, with nothing before or after it on its line';
    return refuse(end + 1, end + 1 + last.length, message, 'let this line be `---`');
  }
  const blank = tooManyBlankLines.exec(text.slice(0, end));
  if (blank === null) return null;
  return refuse(
    blank.index + 1,
    blank.index + 1,
    'front matter has 100 blank lines in a row',
    'take them out',
  );
}
