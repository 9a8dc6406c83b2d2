import type { JsonObject } from '../kernel/json.ts';
import { objectIn } from './events.ts';

/** Longer lines count only with their end: each is parsed again with every piece of it. */
const longestEarly = 1_000_000;

/**
 * Accepts output as it arrives, and passes on the JSON objects in it, one per line, as soon as each
 * is complete. `early`: also one whose line has no end yet, which may be the last; it comes again
 * with its end.
 */
export function eventsAsTheyCome(
  take: (event: JsonObject) => void,
  early?: 'early',
): (output: string) => void {
  let line = '';
  return (output) => {
    const [first = '', ...rest] = output.split('\n');
    line += first;
    for (const next of rest) {
      const event = objectIn(line);
      if (event !== null) take(event);
      line = next;
    }
    const begun = early === undefined || line.length > longestEarly ? null : objectIn(line);
    if (begun !== null) take(begun);
  };
}
