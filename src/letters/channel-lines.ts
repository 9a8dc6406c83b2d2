import * as z from 'zod';
import { readJson } from '../kernel/json.ts';
import { problemOf, type Read } from './letters.ts';

/*
 * What the program of a channel prints, a JSON object in each line. docs/channels.md describes it
 * for its authors. Every `error` completes the sentence "`key` must be …".
 */

function words(most: number) {
  const error = `a string of 1 to ${String(most)} characters`;
  return z.string({ error }).min(1, { error }).max(most, { error });
}

const aText = 'a string';
const anId = words(200);
const aPlace = words(500);
const aReason = words(2_000);

const line = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('ready') }),
    z.object({ type: z.literal('sent'), key: anId, reference: aPlace, conversation: aPlace }),
    z.object({ type: z.literal('absent'), key: anId }),
    z.object({ type: z.literal('refused'), key: anId, reason: aReason }),
    z.object({
      type: z.literal('failed'),
      key: anId,
      reason: aReason,
      retry_after: z
        .number({ error: 'a number of seconds' })
        .min(0, { error: 'at least 0' })
        .max(86_400, { error: 'at most 86400' })
        .optional(),
    }),
    z.object({
      type: z.literal('received'),
      id: anId,
      kind: z.enum(['task', 'reply'], { error: '`task` or `reply`' }),
      conversation: aPlace,
      in_reply_to: aPlace.nullish(),
      author: anId,
      subject: z.string({ error: aText }).max(1_000, { error: 'at most 1000 characters long' }).optional(),
      text: z.string({ error: aText }),
    }),
  ],
  { error: '`ready`, `sent`, `absent`, `refused`, `failed` or `received`' },
);

export type ChannelLine = Readonly<z.output<typeof line>>;

export function readChannelLine(text: string): Read<ChannelLine> {
  const json = readJson(text, 8);
  if (!json.ok) return json;
  const read = line.safeParse(json.value);
  return read.success ? { ok: true, value: read.data } : { ok: false, problem: problemOf(read.error) };
}
