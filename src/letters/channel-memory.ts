import * as z from 'zod';
import { isJsonObject, readJson } from '../kernel/json.ts';
import { problemOf, type Read } from './letters.ts';

/*
 * The memory of one channel: what it has sent and received. The host makes it durable before it
 * relies on it, and the next host continues from it.
 */

const text = z.string();
const time = z.int().min(0);

/** By ids of others: each is a key of its own, `__proto__` as well, which zod leaves out. */
function byId<T>(entry: z.ZodType<T>) {
  const entries = z.array(z.tuple([text, entry]));
  return z
    .preprocess((given) => (isJsonObject(given) ? Object.entries(given) : given), entries)
    .transform((read): Readonly<Record<string, T>> => Object.fromEntries(read));
}

const memory = z.object({
  channel: text,
  /** When the channel was used first: what is older there is not for it. */
  since: time,
  /** Where the channel continues to read; only the channel understands it. */
  cursor: z.json(),
  /** When it was read last; 0: never. */
  polled: time,
  /** When sending began, by the key of what is sent: it may have arrived. */
  begun: byId(time),
  /** What has arrived, by its key. `refused`: why the channel will never take it. */
  sent: byId(z.object({ reference: text, conversation: text, at: time, refused: text.nullable() })),
  /** The threads of conversations; `mark` finds one that is not known yet. */
  conversations: byId(z.object({ thread: text.nullable(), mark: text.nullable(), at: time })),
  /** The status of conversations as it was sent last. `reference` null: it is never sent again. */
  reported: byId(z.object({ reference: text.nullable(), text, at: time })),
  /** What is being answered by what was received, by the id of that: it may have taken effect. */
  taking: byId(text),
  /** What has been received, by its id on the channel. `reason` null: it was accepted. */
  received: byId(z.object({ at: time, author: text, reason: text.nullable() })),
  /** Replies to what was received, which wait to be sent. */
  replies: byId(z.object({ conversation: text, text, at: time, to: text })),
  /** How much waits to be sent. */
  waiting: z.int().min(0),
  /** Why nothing can be sent or received now; null: it can, as far as is known. */
  // `limited`: the service has asked for the rest.
  down: z.object({ since: time, until: time, times: time, problem: text, limited: z.boolean() }).nullable(),
});

export interface ChannelMemory extends Readonly<z.output<typeof memory>> {}

export function readChannelMemory(content: string): Read<ChannelMemory> {
  const json = readJson(content, 64);
  if (!json.ok) return json;
  const read = memory.safeParse(json.value);
  return read.success ? { ok: true, value: read.data } : { ok: false, problem: problemOf(read.error) };
}
