import type { LogHits, LogLines, LogLink } from '../../documents/logs.ts';
import { saved } from '../state/saved.ts';
import { ask, Problem, read } from './client.ts';

/**
 * The place in a log that is read: a line, counted from 1, its end, or where it says what failed.
 */
export type LogPlace = number | 'end' | 'failure';

/** Lines of a log. Throws a `Problem`. */
export async function readLines(path: string, place: LogPlace, lines: number): Promise<LogLines> {
  const where = typeof place === 'number' ? `from=${String(place)}` : `around=${place}`;
  const { document } = await read<LogLines>(`${path}/lines?${where}&lines=${String(lines)}`);
  if (document === null) throw new Problem('E_INTERNAL', 0, 'the server answered nothing');
  return document;
}

/** The lines of a log that hold some words. Throws a `Problem`. */
export async function searchLog(path: string, text: string, from: number): Promise<LogHits> {
  if (saved !== null) return searchSaved(path, text);
  const query = `text=${encodeURIComponent(text)}&from=${String(from)}`;
  const { document } = await read<LogHits>(`${path}/search?${query}`);
  return document ?? { schema: 1, lines: [], next: null };
}

function searchSaved(path: string, text: string): LogHits {
  const wanted = text.toLowerCase();
  const lines = (saved?.logs[path]?.parts ?? []).flatMap(({ first, lines: kept }) =>
    kept.flatMap((line, index) => (line.toLowerCase().includes(wanted) ? [first + index] : [])),
  );
  return { schema: 1, lines, next: null };
}

/** Lets the browser save a whole log: by an address that works once, and does not hold the key. */
export async function downloadLog(path: string): Promise<void> {
  const link = await ask<LogLink>('POST', `${path}/link`, {});
  const anchor = document.createElement('a');
  anchor.href = link.address;
  anchor.download = '';
  anchor.click();
}
