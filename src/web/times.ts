import { clock } from '../kernel/local-time.ts';
import { span } from '../kernel/times.ts';

/** Clocks of a browser and a server differ by less, in milliseconds. */
const skew = 5_000;

/** `12s ago`; of a time after `now`, in milliseconds since 1970, as in the past: when it is. */
export function agoOf(at: string, now: number): string {
  const ago = now - Date.parse(at);
  return ago < -skew ? clock(at, now) : `${span(Math.max(0, ago))} ago`;
}
