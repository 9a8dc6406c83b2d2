import * as z from 'zod';
import { errorCodes, type ErrorCode, type Reason } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import type { Cost } from '../../kernel/cost.ts';
import type { WhyCode } from '../../kernel/why.ts';
import type { DiagnosticDocument } from '../../yaml/diagnostics.ts';
import type { Explained } from '../why/explained.ts';
import { schemaOf } from './schema-of.ts';

/*
 * The schemas of the documents: what commands print with `--json`, the API answers with and OpenAPI
 * describes. A schema has every key of its type, and only those.
 */

export const version = z.literal(1).describe('The version of the document');
export const count = z.int().min(0);
export const time = z.string().describe('ISO 8601 in UTC');
export const texts = z.array(z.string());
/** Any JSON, without a check: it was read as JSON. */
export const json = z.any() as z.ZodType<Json>;

export const cost = schemaOf<Cost>()(
  z.strictObject({
    usd: z.number().describe('Dollars'),
    tokens: z.number(),
    unpriced: z.number().describe('Launches of unknown price, which count as what was reserved'),
    msats: z.number().exactOptional().describe('Thousandths of a satoshi'),
  }),
);

const errorCode = z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]);

export const reason = schemaOf<Reason>()(
  z.strictObject({
    code: errorCode,
    text: z.string(),
    class: z
      .enum(['RETRYABLE_TRANSIENT', 'RETRYABLE_RATE_LIMIT', 'NON_RETRYABLE', 'FATAL'])
      .exactOptional()
      .describe('Only in threads of steps: what the policy of the step applies to'),
  }),
);

export const diagnostic = schemaOf<DiagnosticDocument>()(
  z.strictObject({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    message: z.string(),
    file: z.string().nullable(),
    line: count.nullable(),
    column: count.nullable(),
    endLine: count.nullable(),
    endColumn: count.nullable().describe('Behind the last marked character'),
    hint: z.string().nullable(),
  }),
);

const whyCode = z.enum([
  'running',
  'checking',
  'due',
  'landing',
  'landing_queued',
  'landing_blocked',
  'host_not_running',
  'host_problem',
  'protocol_changed',
  'not_accepted',
  'no_mail',
  'paused',
  'inbox_missing',
  'usage_limit',
  'backoff',
  'concurrency',
  'slots_taken',
  'workspace',
  'budget',
  'turn_open',
  'last_turn',
  'conflict',
  'waiting_for_worker',
  'worker_silent',
  'queued',
  'blocked_by_request',
  'answers_incomplete',
  'join_incomplete',
  'waiting_for_answer',
  'waiting_for_user',
  'unread',
  'role_removed',
  'waiting_for_approval',
  'other_run',
  'needs',
  'ending',
  'handled',
  'withdrawn',
  'quiet',
  'closed',
  'succeeded',
  'skipped',
  'login_missing',
  'failed',
  'cancelled',
] satisfies WhyCode[]);

/** Why something moves, waits or has ended. */
export const why = {
  reason: z.string().describe('One sentence, without its full stop'),
  code: whyCode,
  cause: z
    .strictObject({ record: z.string(), at: time })
    .nullable()
    .describe('The record that caused it; null: no single one'),
  until: time.nullable().describe('When it ends on its own; null: it does not, or that is unknown'),
  command: z.string().nullable().describe('The command that changes it; null: none does'),
};

export const explained = schemaOf<Explained>()(z.strictObject(why));

export const runStatus = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED']);
