import { twoDigits } from './times.ts';

/* Times for people, in the time zone of the machine. Nothing that decides may read them. */

/** A timestamp as local time: `20:45`, with the date unless it is today's. */
export function clock(at: number | string, now: number): string {
  const time = new Date(at);
  const today = new Date(now);
  const minutes = `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
  return time.toDateString() === today.toDateString() ? minutes : `${dateOf(time)} ${minutes}`;
}

/** A timestamp as local time, to the second. */
export function seconds(at: number): string {
  const time = new Date(at);
  return `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}:${twoDigits(time.getSeconds())}`;
}

/** A timestamp as local date and time: `2026-11-21 20:45`. */
export function moment(at: string): string {
  const time = new Date(at);
  return `${dateOf(time)} ${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
}

function dateOf(time: Date): string {
  return `${String(time.getFullYear())}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`;
}
