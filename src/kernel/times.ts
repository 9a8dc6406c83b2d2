/**
 * A point of the past: a record of a journal, by its number, or a time in milliseconds since 1970.
 */
export type Moment = { readonly record: number } | { readonly time: number };

/** A time in milliseconds since 1970 in the format of documents: ISO 8601, UTC. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}

/** The earliest of times; null: there is none. */
export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** A count with at least two digits; fractions are cut off. */
export const twoDigits = (count: number) => String(Math.floor(count)).padStart(2, '0');

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration in milliseconds in its two largest units: `12s`, `3m 05s`, `2h 05m`, `3d 2h`. */
export function span(milliseconds: number): string {
  const left = Math.max(0, milliseconds);
  if (left < minute) return `${String(Math.floor(left / second))}s`;
  if (left < hour) return `${String(Math.floor(left / minute))}m ${twoDigits((left % minute) / second)}s`;
  if (left < day) return `${String(Math.floor(left / hour))}h ${twoDigits((left % hour) / minute)}m`;
  return `${String(Math.floor(left / day))}d ${String(Math.floor((left % day) / hour))}h`;
}

/** The duration of something, in milliseconds: with tenths of a second when short. */
export function duration(milliseconds: number): string {
  return milliseconds < 10 * second ? `${(milliseconds / second).toFixed(1)}s` : span(milliseconds);
}

/** How long ago a timestamp of a document was. */
export function since(at: string, now: number): string {
  return span(now - Date.parse(at));
}

/** How far ahead a timestamp of a document is. */
export function ahead(at: string, now: number): string {
  return span(Date.parse(at) - now);
}
