import * as z from 'zod';
import type { DocumentOf } from '../../kernel/json.ts';
import { metricMeanings, type MetricName } from './meanings.ts';
import { count, version } from '../../documents/common.ts';

const histogram = z.strictObject({
  count,
  sum: z.number().describe('Seconds'),
  buckets: z
    .array(z.tuple([z.number(), count]))
    .describe('Upper bounds in seconds, each with the number of what took at most so long'),
});

const sample = z.strictObject({
  labels: z.record(z.string(), z.string()),
  value: z.number().nullable().describe('Null: of a histogram'),
  histogram: histogram.nullable(),
});

/** What is counted of a project. */
export const metricsDocument = z.strictObject({
  schema: version,
  metrics: z.array(
    z.strictObject({
      name: z.enum(Object.keys(metricMeanings) as [MetricName, ...MetricName[]]),
      kind: z.enum(['counter', 'gauge', 'histogram']),
      help: z.string(),
      samples: z.array(sample),
    }),
  ),
});

export type MetricsDocument = DocumentOf<typeof metricsDocument>;
export type Sample = DocumentOf<typeof sample>;
