import { currencyName } from '../kernel/money.ts';
import * as z from 'zod';
import { errorCodes, type ErrorCode, type Reason } from '../kernel/errors.ts';
import type { DocumentOf, Json } from '../kernel/json.ts';
import type { Cost } from '../kernel/cost.ts';
import { whyCodes } from '../kernel/why.ts';

/*
 * The documents: what commands print with `--json`, the API answers with and OpenAPI describes. The
 * type of a document is that of its schema.
 */

export const version = z.literal(1).describe('The version of the document');
export const count = z.int().min(0);
export const time = z.string().describe('ISO 8601 in UTC');
export const texts = z.array(z.string());
/** Any JSON, without a check: it was read as JSON. */
export const json = z.any() as z.ZodType<Json>;

export const cost = z.strictObject({
  usd: z.number().describe('Dollars'),
  tokens: z.number(),
  unpriced: z.number().describe('Launches of unknown price, which count as what was reserved'),
  [currencyName]: z.number().exactOptional().describe('Thousandths of a satoshi'),
}) satisfies z.ZodType<Cost>;

const errorCode = z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]);

export const reason = z.strictObject({
  code: errorCode,
  text: z.string(),
  class: z
    .enum(['RETRYABLE_TRANSIENT', 'RETRYABLE_RATE_LIMIT', 'NON_RETRYABLE', 'FATAL'])
    .exactOptional()
    .describe('Only in threads of steps: what the policy of the step applies to'),
}) satisfies z.ZodType<Reason>;

export const diagnostic = z.strictObject({
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  file: z.string().nullable(),
  line: count.nullable(),
  column: count.nullable(),
  endLine: count.nullable(),
  endColumn: count.nullable().describe('Behind the last marked character'),
  hint: z.string().nullable(),
});

export type DiagnosticDocument = DocumentOf<typeof diagnostic>;

/** Why something moves, waits or has ended. */
export const why = {
  reason: z.string().describe('One sentence, without its full stop'),
  code: z.enum(whyCodes),
  cause: z
    .strictObject({ record: z.string(), at: time })
    .nullable()
    .describe('The record that caused it; null: no single one'),
  until: time.nullable().describe('When it ends on its own; null: it does not, or that is unknown'),
  command: z.string().nullable().describe('The command that changes it; null: none does'),
};

export const explained = z.strictObject(why);

export type Explained = DocumentOf<typeof explained>;

export const runStatus = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED']);
