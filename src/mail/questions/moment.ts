import { parseDuration } from '../../kernel/duration.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Moment } from '../../kernel/times.ts';

/** What a person can give as a moment, in words. */
export const momentHelp = 'a record number, a time such as 2026-05-01T10:00, or how long ago, such as 2h';

/** The moment that a word means. `name`: of the option that it was given to. Throws `E_VALUE`. */
export function momentOf(text: string, now: number, name = '--at'): Moment {
  if (/^[1-9]\d*$/.test(text)) return { record: Number(text) };
  const ago = parseDuration(text);
  if (ago !== null) return { time: now - ago };
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return { time };
  throw new MailroomError('E_VALUE', `${name} ${text} is not a moment`, `give ${momentHelp}`);
}
