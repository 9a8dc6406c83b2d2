import * as z from 'zod';
import type { DocumentOf } from '../kernel/json.ts';
import { count, time, version } from './common.ts';

/** A line of a log, counted from 1. */
const line = z.int().min(1);

const logFile = z.strictObject({
  name: z.string().describe('Its name in the addresses of logs: `build/1.1/stdout`'),
  step: z.string(),
  iteration: count,
  attempt: count,
  check: count.nullable().describe('Which check of the attempt printed it; null: the worker'),
  stream: z.enum(['stdout', 'stderr']),
  size: count.describe('Bytes'),
  changed_at: time,
});

export const logFilesDocument = z.strictObject({
  schema: version,
  files: z.array(logFile).describe('In the order of their attempts'),
});
export type LogFile = DocumentOf<typeof logFile>;
export type LogFiles = DocumentOf<typeof logFilesDocument>;

export const logLinesDocument = z.strictObject({
  schema: version,
  first: line.describe('The number of the first of `lines`'),
  lines: z.array(z.string()).describe('Without their ends; 16 KiB without an end count as a line'),
  total: count.describe('Lines of the log now, with one that is not complete yet'),
  complete: z.boolean().describe('Whether the last line of the log has its end'),
  size: count.describe('Bytes of the log now'),
  failure: z
    .strictObject({
      line,
      certain: z.boolean().describe('False: the line only says that something failed, not what'),
    })
    .nullable()
    .describe('Only for `around=failure`: where the end of the log says what went wrong'),
});
export type LogLines = DocumentOf<typeof logLinesDocument>;

export const logHitsDocument = z.strictObject({
  schema: version,
  lines: z.array(line).describe('The lines that hold the text, at most 1,000'),
  next: line.nullable().describe('Where the search continues; null: there are no more'),
});
export type LogHits = DocumentOf<typeof logHitsDocument>;

export const logLinkDocument = z.strictObject({
  schema: version,
  address: z.string().describe('Where a browser gets the whole log, once, without a key'),
  until: time,
});
export type LogLink = DocumentOf<typeof logLinkDocument>;
