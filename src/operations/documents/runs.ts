import * as z from 'zod';
import type { RunDefinition } from '../runs/definition.ts';
import type { RunVerdict } from '../runs/ask-run.ts';
import { runEventNames, type RunEventDocument } from '../runs/run-events.ts';
import type { RunSummary } from '../runs/summary.ts';
import type { TimelineDocument } from '../runs/timeline.ts';
import { cost, count, json, runStatus, texts, time, version } from './common.ts';
import { schemaOf } from './schema-of.ts';

const stepStatus = z.enum([
  'PENDING',
  'READY',
  'RUNNING',
  'CHECKING',
  'SUCCEEDED',
  'FAILED',
  'INCOMPLETE',
  'SKIPPED',
  'CANCELLED',
]);

const progress = z
  .strictObject({ completed: count, total: count })
  .describe('Settled steps of its own body, of all');

const summary = {
  schema: version,
  run: z.string(),
  workflow: z.string(),
  version: z.string(),
  language: z.string(),
  started_by: z.enum(['person', 'up']),
  person: z
    .string()
    .nullable()
    .describe('Who started it, or let `up` start it; null: unknown, or `up` alone'),
  status: runStatus,
  alive: z.boolean().describe('Whether a process hosts it now'),
  reason: z.string().nullable(),
  started_at: time.nullable(),
  completed_at: time.nullable(),
  cost,
  progress,
  current: texts.describe('Steps in progress, and approvals that wait'),
};

const runSummary = schemaOf<RunSummary>()(z.strictObject(summary));

/** `runs`. */
export const runsDocument = z.array(runSummary).describe('Newest first');

const step = z
  .strictObject({
    status: stepStatus,
    agent: z.string().nullable().describe('The agent of the configuration that it uses'),
    host: z.string().nullable().describe('The worker host of its last attempt; null: it ran here'),
    attempts: count,
    iterations: count,
    started_at: time.nullable(),
    completed_at: time.nullable(),
    exit_code: z.number().nullable(),
    error_class: z.string().nullable(),
    error_code: z.string().nullable(),
    reason: z.string().nullable(),
    values: json,
    artifacts: z.array(z.looseObject({ name: z.string(), path: z.string() })),
    commit: z
      .strictObject({
        id: z.string(),
        branch: z.string(),
        worktree: z.string().nullable().describe('Its git worktree, relative to the project'),
      })
      .nullable()
      .describe('The work that it left in git'),
    cost,
    get steps() {
      return z.record(z.string(), step).exactOptional().describe('Of a sub-workflow');
    },
    get items() {
      return z
        .array(z.strictObject({ index: count, item: json, steps: z.record(z.string(), step) }))
        .exactOptional()
        .describe('Of a loop');
    },
  })
  .meta({ id: 'Step' });

/** `show <run>`, and what `runs` lists of it. */
export const runDocument = z.strictObject({
  ...summary,
  budget: z.strictObject({ msats: z.number(), left: z.number() }).exactOptional(),
  warnings: texts,
  steps: z.record(z.string(), step),
  parameters: z.record(z.string(), json),
});

const stretch = z.strictObject({
  kind: z.enum(['worker', 'check', 'queue', 'pause', 'gate', 'body']),
  iteration: count,
  attempt: count.describe('Of the iteration; 0: none has begun'),
  from: time,
  to: time.nullable().describe('Null: it lasts'),
  until: time.nullable().describe('When a pause ends, or a gate times out'),
  provider: z.string().nullable().describe('Who works, or whose rate limit makes the pause'),
  result: z.enum(['done', 'failed', 'incomplete', 'stopped']).nullable(),
  reason: z.string().nullable(),
});

/** What the steps of a run did, and when. */
export const timelineDocument = schemaOf<TimelineDocument>()(
  z.strictObject({
    schema: version,
    run: z.string(),
    complete: z.boolean().describe('False: the journal does not keep the beginning'),
    last: time.nullable().describe('Of the last record'),
    steps: z.array(z.strictObject({ path: z.string(), stretches: z.array(stretch) })),
  }),
);

/** What a run follows, and whether its file still says the same. */
export const runDefinitionDocument = schemaOf<RunDefinition>()(
  z.strictObject({
    schema: version,
    run: z.string(),
    file: z.string().nullable(),
    text: z.string().nullable().describe('As the run follows it'),
    now: z.enum(['same', 'changed', 'broken', 'gone']).describe('The file, with all that it uses'),
    graph: z.strictObject({
      nodes: z.array(
        z.strictObject({
          id: z.string(),
          who: z.string(),
          shape: z.enum(['step', 'gate', 'condition', 'body']).describe('`body`: a loop or a sub-workflow'),
        }),
      ),
      edges: z.array(z.strictObject({ from: z.string(), to: z.string(), label: z.string() })),
    }),
  }),
);

/** `approve`, `reject`, `cancel`, `retry`, `pause` and `unpause` of a run. */
export const runVerdict = schemaOf<RunVerdict>()(
  z.strictObject({
    schema: version,
    state: z.enum(['done', 'recorded']).describe('`recorded`: no process has read it yet'),
    verb: z.enum(['approve', 'reject', 'cancel', 'retry', 'pause', 'unpause']),
    run: z.string(),
    path: z.string().describe('The gate or the step; empty: the whole run'),
    host: z.boolean().describe('Whether a process hosts it'),
  }),
);

/** `resume --explain`. */
export const resumptionDocument = z.strictObject({
  schema: version,
  run: z.string(),
  steps: z.array(z.strictObject({ path: z.string(), does: z.string(), why: z.string() })),
});

/** An event of a run, as its stream sends it. */
export const runEventDocument = schemaOf<RunEventDocument>()(
  z.strictObject({
    seq: count.describe('The number of its record in the journal of the run'),
    at: time,
    run: z.string(),
    level: z.enum(['info', 'warning', 'error']),
    event: z.enum(runEventNames),
    stage: z.string().nullable().describe('Null: it concerns the whole run'),
    attempt: count.nullable(),
    status: z.enum([...runStatus.options, ...stepStatus.options]).describe('Of the stage, or of the run'),
    reason: z.string().nullable(),
    by: z.string().nullable().describe('The person who did it'),
    until: time.nullable().describe('Of a retry: when; of a gate: its deadline'),
    progress,
    cost,
  }),
);
