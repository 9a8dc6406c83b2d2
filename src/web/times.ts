import { clock } from '../kernel/local-time.ts';
import { span } from '../kernel/times.ts';

/** Clocks of a browser and a server differ by less, in milliseconds. */
const skew = 5_000;

/**
 * `3m 12s ago`, short: `3m`; of a time after `now`, in milliseconds since 1970, as in the past:
 * when it is.
 */
export function agoOf(at: string, now: number, isShort = false): string {
  const ago = now - Date.parse(at);
  if (ago < -skew) return clock(at, now);
  const words = span(Math.max(0, ago));
  return isShort ? words.replace(/ .*/, '') : `${words} ago`;
}
