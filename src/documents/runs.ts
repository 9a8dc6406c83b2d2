import { currencyName } from '../kernel/money.ts';
import * as z from 'zod';
import type { DocumentOf, Json } from '../kernel/json.ts';
import { cost, count, json, runStatus, texts, time, version } from './common.ts';
import { standing } from './standing.ts';
import { waitingGate } from './status.ts';

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
  .describe('Steps of its own body that succeeded, of all; skipped and cancelled ones are not completed');

const summary = {
  schema: version,
  run: z.string(),
  workflow: z.string(),
  title: z.string().nullable().describe('What people call the workflow; null: nothing but its name'),
  version: z.string(),
  language: z.string(),
  started_by: z.enum(['person', 'up']),
  person: z
    .string()
    .nullable()
    .describe('Who started it, or let `up` start it; null: unknown, or `up` alone'),
  status: runStatus,
  standing,
  alive: z.boolean().describe('Whether a process hosts it now'),
  reason: z.string().nullable().describe('Why it has ended, with the step that failed'),
  started_at: time.nullable(),
  completed_at: time.nullable(),
  cost,
  progress,
  current: texts.describe('Steps in progress, and approvals that wait'),
  gates: z.array(waitingGate).describe('The approvals that wait, as the status has them'),
};

const runSummary = z.strictObject(summary);

/** `runs`. */
export const runsDocument = z.array(runSummary).describe('Newest first');

const ownStep = z.strictObject({
  status: z
    .enum([...stepStatus.options, 'WAITING'])
    .describe('`WAITING`: a gate that asks a person; its entry in `gates` has the same path'),
  standing,
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
  artifacts: z.array(
    z.looseObject({
      name: z.string(),
      path: z.string().describe('In the folder of the step'),
      address: z.string().describe('Where the API lists its files'),
    }),
  ),
  commit: z
    .strictObject({
      id: z.string(),
      branch: z.string(),
      worktree: z.string().nullable().describe('Its git worktree, relative to the project'),
    })
    .nullable()
    .describe('The work that it left in git'),
  cost,
});

/** With the steps inside it. */
export interface StepDocument extends DocumentOf<typeof ownStep> {
  readonly steps?: StepDocuments;
  readonly items?: readonly { readonly index: number; readonly item: Json; readonly steps: StepDocuments }[];
}

export type StepDocuments = Readonly<Record<string, StepDocument>>;

const step: z.ZodType<StepDocument> = ownStep
  .extend({
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
  budget: z.strictObject({ [currencyName]: z.number(), left: z.number() }).exactOptional(),
  warnings: texts,
  steps: z.record(z.string(), step),
  parameters: z.record(z.string(), json),
});

/** The files of an artifact. */
export const artifactDocument = z.strictObject({
  schema: version,
  run: z.string(),
  step: z.string(),
  name: z.string(),
  files: z.array(
    z.strictObject({
      path: z.string().describe('In the artifact'),
      bytes: count,
      address: z.string().describe('Where the API gives its bytes'),
    }),
  ),
});

const stretch = z.strictObject({
  kind: z
    .enum(['worker', 'check', 'queue', 'pause', 'gate', 'body'])
    .describe(
      '`worker` and `check`: a process or a turn runs. `queue`: it waits for a slot. `pause`: it waits for its next attempt. `gate`: it waits for a person. `body`: the steps inside it run',
    ),
  iteration: count,
  attempt: count.describe('Of the iteration; 0: none has begun'),
  from: time,
  to: time.nullable().describe('Null: it lasts'),
  until: time.nullable().describe('When a pause ends, or a gate times out'),
  provider: z.string().nullable().describe('Who works, or whose rate limit makes the pause'),
  result: z
    .enum(['done', 'failed', 'incomplete', 'stopped'])
    .nullable()
    .describe('`stopped`: it was interrupted. Null: it lasts, or has no result'),
  reason: z.string().nullable().describe('Why it failed, or who answered what'),
});

/** What the steps of a run did, and when. */
export const timelineDocument = z.strictObject({
  schema: version,
  run: z.string(),
  complete: z.boolean().describe('False: the journal does not keep the beginning'),
  last: time.nullable().describe('Of the last record'),
  steps: z
    .array(z.strictObject({ path: z.string(), stretches: z.array(stretch) }))
    .describe('In the order of their first stretch; each visit of a step in a sequence has its own path'),
});

/** What a run follows, and whether its file still says the same. */
export const runDefinitionDocument = z.strictObject({
  schema: version,
  run: z.string(),
  file: z.string().nullable(),
  text: z.string().nullable().describe('As the run follows it'),
  now: z
    .enum(['same', 'changed', 'broken', 'gone'])
    .describe('The file, with all that it uses. `broken`: it has errors. `gone`: a part is missing'),
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
});

/** `approve`, `reject`, `cancel`, `retry`, `pause` and `unpause` of a run. */
export const runVerdict = z.strictObject({
  schema: version,
  state: z.enum(['done', 'recorded']).describe('`recorded`: no process has read it yet'),
  verb: z.enum(['approve', 'reject', 'cancel', 'retry', 'pause', 'unpause']),
  run: z.string(),
  path: z.string().describe('The gate or the step; empty: the whole run'),
  host: z.boolean().describe('Whether a process hosts it'),
});

/** `resume --explain`. */
export const resumptionDocument = z.strictObject({
  schema: version,
  run: z.string(),
  steps: z.array(z.strictObject({ path: z.string(), does: z.string(), why: z.string() })),
});

/** An event of a run, as its stream sends it. */
export const runEventDocument = z.strictObject({
  seq: count.describe('The number of its record in the journal of the run'),
  at: time,
  run: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  event: z.enum([
    'run_started',
    'run_resumed',
    'run_paused',
    'run_unpaused',
    'stage_started',
    'stage_progress',
    'stage_retry',
    'stage_completed',
    'stage_failed',
    'stage_skipped',
    'gate_asked',
    'gate_approved',
    'gate_rejected',
    'gate_timed_out',
    'summary',
    'hook_failed',
    'warning',
    'rolled_back',
    'run_completed',
    'run_failed',
    'run_cancelled',
    'run_timed_out',
  ]),
  stage: z.string().nullable().describe('Null: it concerns the whole run'),
  attempt: count.nullable(),
  status: z.enum([...runStatus.options, ...stepStatus.options]).describe('Of the stage, or of the run'),
  reason: z.string().nullable(),
  by: z.string().nullable().describe('The person who did it'),
  until: time.nullable().describe('Of a retry: when; of a gate: its deadline'),
  progress,
  cost,
});

export type ArtifactDocument = DocumentOf<typeof artifactDocument>;
export type RunSummary = DocumentOf<typeof runSummary>;
export type TimelineDocument = DocumentOf<typeof timelineDocument>;
export type RunDefinition = DocumentOf<typeof runDefinitionDocument>;
export type RunVerdict = DocumentOf<typeof runVerdict>;
export type RunEventDocument = DocumentOf<typeof runEventDocument>;
export type Stretch = DocumentOf<typeof stretch>;
export type RunDocument = DocumentOf<typeof runDocument>;
export type ResumptionDocument = DocumentOf<typeof resumptionDocument>;
