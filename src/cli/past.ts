import { momentHelp } from './options.ts';
import type { Moment } from '../kernel/times.ts';
import { parseDuration } from '../kernel/duration.ts';
import { MailroomError } from '../kernel/errors.ts';

/** The moment that `--at` names. Throws `E_VALUE`. */
export function momentOf(text: string, now: number): Moment {
  if (/^[1-9]\d*$/.test(text)) return { record: Number(text) };
  const ago = parseDuration(text);
  if (ago !== null) return { time: now - ago };
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return { time };
  throw new MailroomError('E_VALUE', `--at ${text} is not a moment`, `give ${momentHelp}`);
}
