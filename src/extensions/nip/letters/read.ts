import * as z from 'zod';
import { reader, type Read } from '../../../letters/letters.ts';
import type { NostrEvent } from './nostr-event.ts';

const anObject = 'a JSON object';
const line = z.string({ error: 'a string' }).max(10_000, { error: 'at most 10,000 characters long' });
const text = z.string({ error: 'a string' });

const hex = (digits: number) => {
  const error = `${String(digits)} hexadecimal digits in lower case`;
  return z.string({ error }).regex(new RegExp(`^[\\da-f]{${String(digits)}}$`), { error });
};
const aKind = 'the number of a kind of events';
const aSecond = 'a time in seconds since 1970';

const signedEvent = z.object(
  {
    id: hex(64),
    pubkey: hex(64),
    created_at: z.int({ error: aSecond }).min(0, { error: aSecond }).max(8.64e12, { error: aSecond }),
    kind: z.int({ error: aKind }).min(0, { error: aKind }).max(65_535, { error: aKind }),
    tags: z.array(z.array(text, { error: 'a list of strings' }), { error: 'a list of lists of strings' }),
    content: text,
    sig: hex(128),
  } satisfies Shape<NostrEvent>,
  { error: anObject },
);

const delivery = z.object({ relay: line, event: hex(64), answer: line.nullable() }, { error: anObject });

/**
 * An event and a relay. `answer` null: not sent yet; empty: the relay has accepted it; else why the
 * relay has refused it.
 */
export interface Delivery extends Readonly<z.output<typeof delivery>> {}

/** A relay's remark for people: optional and not interpreted. */
const remark = z.unknown().transform((said) => (typeof said === 'string' ? said.slice(0, 200) : ''));

const relayMessage = z.union([
  z
    .tuple([z.literal('EVENT'), z.unknown(), signedEvent], z.unknown())
    .transform(([, , event]) => ({ is: 'event', event }) as const),
  z
    .tuple([z.literal('OK'), text, z.unknown(), remark.optional()], z.unknown())
    .transform(
      ([, id, taken, reason = '']) => ({ is: 'answer', id, accepted: taken === true, reason }) as const,
    ),
  z.tuple([z.literal('EOSE')], z.unknown()).transform(() => ({ is: 'caught-up' }) as const),
  z
    .tuple([z.literal('CLOSED'), z.unknown().optional(), remark.optional()], z.unknown())
    .transform(([, , reason = '']) => ({ is: 'closed', reason }) as const),
]);

/**
 * A relay's message, as far as Mailroom uses it: an `event`, not verified; an `answer` to a sent
 * event; the end of stored events (`caught-up`); a refused subscription (`closed`).
 */
export type RelayMessage = z.output<typeof relayMessage>;

/** A schema for each key of a type. */
type Shape<T> = { readonly [K in keyof T]-?: z.ZodType<T[K]> } & Record<string, z.ZodType>;

/** An event of valid shape; its signature is checked elsewhere. */
export const readEvent: (text: string) => Read<NostrEvent> = reader(signedEvent);
export const readDelivery: (text: string) => Read<Delivery> = reader(delivery);
export const readRelayMessage: (text: string) => Read<RelayMessage> = reader(relayMessage);
