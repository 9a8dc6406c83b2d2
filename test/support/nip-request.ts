import { finalizeEvent, type Event } from 'nostr-tools/pure';
import type { TestRelay } from './relay.ts';

let number = 0;

/**
 * A request for a run of a definition (the id of its event), signed now by the holder of a key. `change`: tags that differ;
 * `input` is the JSON of the input `text`.
 */
export function asks(
  definition: string,
  by: Uint8Array,
  { input = '"a b"', ...change }: Readonly<Record<string, string>> = {},
): Event {
  number += 1;
  const tags = { d: `run-${String(number)}`, bid: '2000', timeout: '60', ...change };
  const signed = finalizeEvent(
    {
      kind: 5_920,
      created_at: Math.floor(Date.now() / 1_000),
      tags: [['e', definition, '', 'workflow'], ...Object.entries(tags), ['input', 'text', input]],
      content: '',
    },
    by,
  );
  return JSON.parse(JSON.stringify(signed)) as Event;
}

/** The word of the first tag of a name. */
export function tag({ tags }: Pick<Event, 'tags'>, name: string): string | undefined {
  return tags.find((each) => each[0] === name)?.[1];
}

/** What a relay has that answers to a request. */
export function answers({ events }: TestRelay, { id }: Event): Event[] {
  return events.filter((event) => event.id !== id && tag(event, 'e') === id);
}

/** How the run of a request ended, as a relay has it; undefined: it has not heard. */
export function over(relay: TestRelay, request: Event): Event | undefined {
  return answers(relay, request).find(
    (event) => event.kind === 7_920 && (tag(event, 'status') ?? 'running') !== 'running',
  );
}

/** What keeps a program from going on before there is a file `go`. */
export const waits = `import { existsSync as isThere } from 'node:fs';
const cell = new Int32Array(new SharedArrayBuffer(4));
while (!isThere('go')) Atomics.wait(cell, 0, 0, 20);
`;
