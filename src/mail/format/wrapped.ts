import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { Source } from '../../yaml/source.ts';

/*
 * Language models put what they are asked to write into a code fence, after blank lines, or after a
 * sentence that announces it.
 */

/** A message without what was written around it, and the number of its first line. */
type Unwrapped =
  | { readonly ok: true; readonly text: string; readonly line: number }
  | { readonly ok: false; readonly problem: Diagnostic };

/** The first line of front matter, anyhow indented, and a key in the line after it. */
const opening = /^[ \t]*---[ \t]*\n(?=[ \t]*[A-Za-z_]+[ \t]*:(?:[ \t]|\n|$))/m;
const knownKey = /^[ \t]*(?:type|to|from|thread|in_reply_to|subject|attachments|fields)[ \t]*:/;
/** Of a turn, whose text may begin with the keys alone, also the line of its type. */
const openingOfTurn = new RegExp(`${opening.source}|^type[ \\t]*:[ \\t]*[\\w-]+[ \\t]*$`, 'm');
/** Keys at the head of what is read, each at the beginning of a line, with what belongs to them. */
const bareKeys = /^type[ \t]*:.*(?:\n(?:(?:to|subject|in_reply_to|attachments|fields)[ \t]*:.*|[ \t]+\S.*))*/;
const fenceLine = /^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w-]*)[ \t]*$/;
/** A longer text before front matter is not looked through. */
const longestBefore = 4_096;

/**
 * Finds a message inside a code fence, after blank lines, or after one line of prose; any other
 * text comes back unchanged. `isTurn`: of an agent's turn, which may leave out the lines around its
 * keys, and is asked to write properly where it is not certain what belongs to the message.
 */
export function unwrapped(given: string, file: string, isTurn: boolean): Unwrapped {
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const whole = { ok: true, text: given, line: 1 } as const;
  const begins = isTurn ? openingOfTurn : opening;
  const begin = text.startsWith('---') ? null : begins.exec(text.slice(0, longestBefore));
  if (begin === null) return whole;
  const start = begin.index;
  const isBare = begin[0].startsWith('type');
  const before = text.slice(0, start).split('\n').slice(0, -1);
  const said = before.filter((line) => line.trim() !== '');
  const fence = fenceLine.exec(said.at(-1) ?? '')?.[1] ?? null;
  const prose = fence === null ? said : said.slice(0, -1);
  if (prose.length > 0 && !isBare && !knownKey.test(text.slice(start + begin[0].length))) return whole;
  const refuse = (at: number, message: string): Unwrapped => problemAt(new Source(file, text), at, message);
  if (prose.length > 1 || prose.some((line) => fenceLine.test(line)))
    return isTurn && !isBare ? refuse(start, 'front matter begins here, and not on line 1') : whole;
  if (!isBare && begin[0] !== '---\n') return refuse(start, 'front matter opens with exactly `---`');
  const found = (message: string): Unwrapped =>
    isBare
      ? { ok: true, text: withLines(message), line: before.length }
      : { ok: true, text: message, line: before.length + 1 };
  if (fence === null) return found(text.slice(start));
  const { end, rest } = closingOf(text, start, fence);
  if (end === null)
    return refuse(text.lastIndexOf(fence, start), 'the code fence that opens here is not closed');
  const inside = text.slice(start, end);
  if (rest.trim() === '') return found(inside);
  // Only the front matter is in the fence, and the text is below it.
  if (isFrontMatter(inside)) return found(`${inside.trimEnd()}\n${rest}`);
  return refuse(end, 'the code fence around the message closes here, and more text follows');
}

/** A text that begins with its keys, with a line before and after them. */
function withLines(text: string): string {
  const [keys = ''] = bareKeys.exec(text) ?? [];
  return `---\n${keys}\n---\n${text.slice(keys.length).replace(/^\n(?:---\n)?/, '')}`;
}

/** Whether this is front matter and nothing else. */
function isFrontMatter(text: string): boolean {
  const all = text.trimEnd();
  if (!all.startsWith('---')) return bareKeys.exec(all)?.[0] === all;
  return all.endsWith('\n---') && all.indexOf('\n---') === all.length - 4;
}

function problemAt(source: Source, at: number, message: string): Unwrapped {
  const { text } = source;
  const end = text.indexOf('\n', at);
  const place = source.place(at, end === -1 ? text.length : end);
  const hint = 'let line 1 be `---`, then the keys, a line `---` and the text, without a code fence';
  return { ok: false, problem: { code: 'E_MESSAGE', severity: 'error', message, place, hint } };
}

/** Where the fence around a message closes, and what follows it; a fence inside it has its own. */
function closingOf(text: string, start: number, fence: string): { end: number | null; rest: string } {
  let inner: string | null = null;
  for (let at = start; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? text.length : newline + 1;
    const [, mark, info] = fenceLine.exec(text.slice(at, next).trimEnd()) ?? [];
    if (mark !== undefined) {
      const closes = (open: string) => info === '' && mark.startsWith(open);
      if (inner !== null && closes(inner)) inner = null;
      else if (inner === null && closes(fence)) return { end: at, rest: text.slice(next) };
      else if (inner === null && info !== '') inner = mark;
    }
    at = next;
  }
  return { end: null, rest: '' };
}
