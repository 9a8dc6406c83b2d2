import { defaultTimeout, formatDuration } from '../kernel/duration.ts';
import { counted, listed } from '../kernel/enumerate.ts';
import { replaceUnsafe } from '../kernel/one-line.ts';
import { clock } from '../kernel/local-time.ts';
import { width } from './columns.ts';
import type { Colours } from './terminal.ts';
import type { Explained } from '../documents/common.ts';

export { money } from '../kernel/cost.ts';
export { shortId as short } from '../kernel/ids.ts';
export { clock, moment, seconds } from '../kernel/local-time.ts';
export { ahead, since } from '../kernel/times.ts';

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

/** The end of a summary that names what has the default `timeout`; empty: nothing has. */
export function defaultTimeoutNote(names: readonly string[]): string {
  if (names.length === 0) return '';
  const time = names.length === 1 ? 'times' : 'time';
  return `; ${listed(names)} ${time} out after ${formatDuration(defaultTimeout)}, the default \`timeout\``;
}

/** The files that a command has written, for people. */
export function wroteLines(paths: readonly string[], { green }: Pick<Colours, 'green'>): string[] {
  return paths.map((path) => `${green('wrote')} ${line(path)}`);
}

/** What there is, such as `2 errors`; what there is none of is left out. */
export function countedParts(...counts: readonly (readonly [count: number, what: string])[]): string[] {
  return counts.flatMap(([count, what]) => (count > 0 ? [counted(count, what)] : []));
}

/**
 * Names and values, each a line that is safe for a terminal, the values in one column; those
 * without a value are left out.
 */
export function pairs(values: readonly (readonly [string, string])[]): string[] {
  const given = values
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [line(name), line(value)] as const);
  const widest = Math.max(0, ...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(widest)}  ${value}`);
}

/** Why something that waits does not move; nothing: it does. */
export function whyWords(why: Explained | null, now: number): string[] {
  if (why === null) return [];
  const comma = /[.?!\u2026]$/.test(why.reason) ? '' : ',';
  return [`${why.reason}${why.until === null ? '' : `${comma} until ${clock(why.until, now)}`}`];
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
