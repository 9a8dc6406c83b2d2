import { oneLine } from './one-line.ts';

/*
 * Quotes foreign text in our own. Whatever a prompt or notice contains that neither Mailroom nor
 * the project's owner wrote goes through one of these.
 */

/** A run of backticks longer than any in the text, and at least `least` long. */
function ticksAround(text: string, least: number): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), least - 1);
  return '`'.repeat(longest + 1);
}

/** A fenced block of Markdown that the text cannot end. */
export function fenced(text: string, info = 'text'): string {
  const fence = ticksAround(text, 3);
  return `${fence}${info}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** A code span of Markdown that the text cannot end: one line of at most `limit` characters. */
export function codeSpan(text: string, limit = Infinity): string {
  const line = oneLine(text, limit);
  const ticks = ticksAround(line, 1);
  const space = line === '' || line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${line}${space}${ticks}`;
}

/** The first line of a string, as one line; the rest follows in a fence. */
export function firstLineThenFence(text: string): string {
  const [first = '', ...rest] = text.trim().split(/\r\n|[\n\r]/);
  const below = rest.join('\n').trim();
  return below === '' ? oneLine(first) : `${oneLine(first)}\n\n${fenced(below)}`;
}

/** A word as a shell reads it back: quoted where it has to be. */
export function shellWord(word: string): string {
  return /^[\w.,:=@/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
