import * as z from 'zod';
import type { DocumentOf } from '../kernel/json.ts';
import { landingWays } from '../kernel/work.ts';
import { json, texts, version } from './common.ts';

const milliseconds = z.number().nullable().describe('Milliseconds');

/** The protocol with its defaults. */
export const protocolDocument = z.strictObject({
  schema: version,
  name: z.string(),
  version: z.string(),
  roles: z.array(
    z.strictObject({
      name: z.string(),
      provider: z.string().describe('`human`: a person'),
      model: z.string().nullable(),
      fallback: texts,
      capabilities: texts,
      session: z.enum(['thread', 'fresh']),
      concurrency: z.number(),
      retries: z.number(),
      timeout: milliseconds,
    }),
  ),
  types: z.array(
    z.strictObject({
      name: z.string(),
      from: texts,
      to: texts,
      to_all: z.boolean(),
      reply: texts,
      blocking: z.enum(['role', 'thread', 'none']),
      timeout: milliseconds,
      on_timeout: z.enum(['escalate', 'proceed', 'fail']),
      closes: z.boolean(),
      lands: z
        .strictObject({ branch: z.string(), by: z.enum(landingWays), approval: z.boolean() })
        .nullable(),
      sub_threads: z
        .strictObject({
          fan_out: z.number().describe('How many may be open at once'),
          budget: z
            .strictObject({ usd: z.number().nullable(), tokens: z.number().nullable() })
            .nullable()
            .describe('What each reserves of the budget of its thread'),
        })
        .nullable()
        .describe('Each message opens a sub-thread; null: it stays in the thread of its author'),
      fields: z.record(
        z.string(),
        z.strictObject({
          type: z.enum(['string', 'number', 'integer', 'boolean', 'list', 'object']),
          enum: z.array(json).nullable(),
          required: z.boolean(),
          description: z.string().nullable(),
        }),
      ),
    }),
  ),
  start: z.strictObject({ type: z.string(), to: z.string() }).nullable(),
  concurrency: z.number(),
});

export type ProtocolDocument = DocumentOf<typeof protocolDocument>;
export type LetterType = ProtocolDocument['types'][number];
