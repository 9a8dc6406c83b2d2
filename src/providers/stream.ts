import type { JsonObject } from '../kernel/json.ts';
import { objectIn } from './events.ts';

/**
 * Accepts output as it arrives, and passes on the JSON objects in it, one per line, as soon as each
 * is complete.
 */
export function eventsAsTheyCome(take: (event: JsonObject) => void): (output: string) => void {
  let line = '';
  return (output) => {
    const [first = '', ...rest] = output.split('\n');
    line += first;
    for (const next of rest) {
      const event = objectIn(line);
      if (event !== null) take(event);
      line = next;
    }
  };
}
