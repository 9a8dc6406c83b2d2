import type { Cost } from '../mail/machine/state.ts';
import { replaceUnsafe } from '../kernel/one-line.ts';
import { span } from '../operations/times.ts';
import type { Explained } from '../operations/why/explained.ts';
import { width } from './columns.ts';

export { shortId as short } from '../kernel/ids.ts';

/**
 * `$0.42`, or with calls without a price: `$0.42, 2 unpriced`. Empty if nothing was spent; tokens
 * count where dollars do not.
 */
export function money({ usd, tokens, unpriced }: Cost): string {
  const dollars = usd > 0 ? `$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}` : '';
  const words = dollars === '' && tokens > 0 ? `${count(tokens)} tokens` : dollars;
  const open = unpriced > 0 && words !== '' ? `${String(unpriced)} unpriced` : '';
  return [words, open].filter((part) => part !== '').join(', ');
}

/** `950`, `12.3k`, `4.0M`. */
function count(number: number): string {
  if (number < 1_000) return String(number);
  return number < 1_000_000 ? `${(number / 1_000).toFixed(1)}k` : `${(number / 1_000_000).toFixed(1)}M`;
}

const two = (number: number) => String(number).padStart(2, '0');

/** A timestamp as local time: `20:45`, with the date unless it is today's. */
export function clock(at: number | string, now: number): string {
  const time = new Date(at);
  const today = new Date(now);
  const minutes = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return time.toDateString() === today.toDateString() ? minutes : `${dateOf(time)} ${minutes}`;
}

/** A timestamp as local time, to the second. */
export function seconds(at: number): string {
  const time = new Date(at);
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** A timestamp as local date and time: `2026-11-21 20:45`. */
export function moment(at: string): string {
  const time = new Date(at);
  return `${dateOf(time)} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

function dateOf(time: Date): string {
  return `${String(time.getFullYear())}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** How long ago a timestamp of a document was. */
export function since(at: string, now: number): string {
  return span(now - Date.parse(at));
}

/** How far ahead a timestamp of a document is. */
export function ahead(at: string, now: number): string {
  return span(Date.parse(at) - now);
}

/**
 * Foreign text, safe for a terminal: without characters that control it or reverse the writing
 * direction.
 */
export function printable(text: string): string {
  return replaceUnsafe(text, (character) => {
    if (character === '\n') return character;
    return character === '\t' ? '    ' : '\ufffd';
  });
}

/** Like `printable`, on one line. */
export function line(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, ' '));
}

/** Why something that waits does not move; nothing: it does. */
export function whyWords(why: Explained | null, now: number): string[] {
  if (why === null) return [];
  return [`${why.reason}${why.until === null ? '' : `, until ${clock(why.until, now)}`}`];
}

/**
 * Rows below a head, each a line that is safe for a terminal, in columns two spaces apart. Columns
 * of numbers are right-aligned; the last column is not padded.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows].map((texts) => {
    const cells = texts.map(line);
    return { cells, taken: cells.map(width) };
  });
  const widths = head.map((_, column) =>
    all.reduce((most, { taken }) => Math.max(most, taken[column] ?? 0), 0),
  );
  const numeric = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => /^\d*$/.test(row[column] ?? '')),
  );
  return all.map(({ cells, taken }) =>
    cells
      .map((cell, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - (taken[column] ?? 0));
        if (numeric[column] === true) return space + cell;
        return column === head.length - 1 ? cell : cell + space;
      })
      .join('  ')
      .trimEnd(),
  );
}
