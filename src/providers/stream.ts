import type { JsonObject } from '../kernel/json.ts';
import { objectIn } from './events.ts';

/** Takes an output as it comes, and hands over the JSON objects in it, one a line, as soon as each is whole. */
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
