import type { JsonObject } from '../core/json.ts';
import { objectIn } from './events.ts';

/** A longer line is none of those that tell what happens; it is passed over. */
const longestLine = 1024 * 1024;

/** Takes an output as it comes, and hands over the JSON objects in it, one a line, as soon as each is whole. */
export function eventsAsTheyCome(take: (event: JsonObject) => void): (output: string) => void {
  let line = '';
  return (output) => {
    const [first = '', ...rest] = output.split('\n');
    line = line.length > longestLine ? line : line + first;
    for (const next of rest) {
      const event = line.length > longestLine ? null : objectIn(line);
      if (event !== null) take(event);
      line = next;
    }
  };
}
