import * as z from 'zod';
import type { DocumentOf } from '../kernel/json.ts';
import { standing } from './standing.ts';
import { formats } from '../yaml/edit/convert.ts';
import { count, diagnostic, json, runStatus, texts, version } from './common.ts';
import { capabilities } from '../kernel/capabilities.ts';
import { promptContexts } from '../languages/shared/prompt-contexts.ts';

const diagnostics = z.array(diagnostic);
const capability = z.enum(capabilities);

const ui = z
  .record(z.string(), json)
  .nullable()
  .describe('What the composer has stored of it; null: nothing');
const path = z.array(z.union([z.string(), z.int().min(0)]));

const title = z
  .string()
  .nullable()
  .describe('What people call it; null: nothing else than its name, or it has errors');

const about = {
  id: z.string().nullable().describe('`workflow.id`; null: it has none'),
  tags: texts,
  author: z.string().nullable(),
  ui,
};

/** `workflows`. */
export const workflowsDocument = z.array(
  z.strictObject({
    ...about,
    file: z.string(),
    ok: z.boolean().describe('False: it cannot be run'),
    name: z.string().nullable().describe('Null where there are errors'),
    title,
    version: z.string().nullable(),
    language: z.string().nullable(),
    description: z.string().nullable(),
    steps: count.nullable(),
    errors: diagnostics,
    last_run: z
      .strictObject({
        run: z.string(),
        status: runStatus,
        standing,
        alive: z.boolean().describe('Whether a process hosts it now'),
        started_at: z.string().nullable(),
        completed_at: z.string().nullable(),
      })
      .nullable()
      .describe('The newest run that was started from the file; null: there is none'),
  }),
);

/** The parameters of a workflow, for a form. */
export const shownParameters = z.record(
  z.string(),
  z.strictObject({
    type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'any']),
    enum: z.array(json).nullable().describe('The allowed values; null: any of its type'),
    required: z.boolean(),
    default: json.exactOptional(),
    description: z.string().nullable(),
  }),
);

/** Values of files that change a definition. */
export const overridden = z
  .array(z.strictObject({ path, file: z.string(), line: count }))
  .describe('What these files say, by its path in the effective definition');

const workflow = {
  ...about,
  schema: version,
  kind: z.literal('workflow'),
  file: z.string(),
  ok: z.boolean(),
  language: z.string().nullable(),
  definition: json.describe('As written, without defaults; null where its YAML cannot be read'),
  effective: json.describe('The definition with the changes of override files'),
  overridden,
  errors: diagnostics,
  warnings: diagnostics,
  name: z.string().nullable(),
  title,
  version: z.string().nullable(),
  description: z.string().nullable(),
  revision: z.string().describe('Of the text: what `If-Match` takes'),
  text: z.string(),
  parameters: shownParameters,
  graph: z.strictObject({
    nodes: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string().describe('What people call it'),
        type: z.string(),
        batch: count.describe('The steps of a batch can run at the same time'),
        ui,
        path: path.nullable().describe('Where it stands in the definition'),
      }),
    ),
    edges: z.array(z.strictObject({ from: z.string(), to: z.string() })),
  }),
};

/** A workflow file with its text, also one with errors. */
export const workflowDocument = z.strictObject(workflow);

const patches = z.array(z.strictObject({ from: count, to: count, insert: z.string() }));

/** A workflow with unsaved text. */
export const draftDocument = z.strictObject({
  ...workflow,
  patches: patches.describe('Of the given text, in order; offsets count UTF-16 units'),
  undo: patches.describe('Patches of the resulting text that restore the given one'),
});

/** A change of a definition. Paths lead from the root of the text. */
export const operation = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('set'), path, value: json }),
  z.strictObject({ do: z.literal('rename'), path, name: z.string() }),
  z.strictObject({
    do: z.literal('add'),
    path,
    value: json,
    after: z.string().nullable().exactOptional().describe('The key before it; null: none'),
  }),
  z.strictObject({ do: z.literal('remove'), path }),
  z.strictObject({ do: z.literal('rename-step'), step: z.string(), name: z.string() }),
]);

/** A workflow file as it was written. */
export const savedDocument = z.strictObject({
  schema: version,
  file: z.string(),
  revision: z.string(),
  text: z.string(),
  warnings: diagnostics,
});

/** `validate`. */
export const validateDocument = z.strictObject({
  schema: version,
  ok: z.boolean().describe('False: one of them cannot be run'),
  workflows: z.array(
    z.strictObject({
      file: z.string(),
      ok: z.boolean(),
      name: z.string().nullable(),
      title,
      language: z.string().nullable(),
      steps: count.nullable(),
      default_timeout: z.array(z.string()).describe('Steps whose agent times out after 2 hours'),
    }),
  ),
  error: diagnostic.nullable().describe('The first error'),
  errors: diagnostics,
  warnings: diagnostics,
});

const amount = z.number().nullable();
const amounts = {
  launches: amount.describe('Of agents and turns; null: unlimited'),
  processes: amount,
  time: amount.describe('Milliseconds'),
  tokens: amount,
  usd: amount,
};

/** `plan`. */
export const planDocument = z.strictObject({
  schema: version,
  workflow: z.string(),
  language: z.string(),
  title,
  overrides: z.array(z.strictObject({ file: z.string(), isNamed: z.boolean(), changes: texts })),
  batches: z.array(z.strictObject({ number: count, parallel: z.boolean(), steps: texts })),
  contracts: z.array(
    z.strictObject({
      step: z.string(),
      kind: z.string(),
      provider: z.string().nullable().describe('Null: it has none, or an expression chooses its agent'),
      agents: z
        .array(z.strictObject({ name: z.string(), sets: texts }))
        .describe('The agents of the configuration whose settings it takes; several: an expression chooses'),
      role: z.string().nullable(),
      model: z.string().nullable(),
      capabilities: z.array(capability),
      needs: texts,
      worktree: z.enum(['step', 'item']).nullable().describe('Whose git worktree it works in'),
      on: texts
        .nullable()
        .describe('The labels of the workers that run it; empty: any of them. Null: it runs on this host'),
      merges: texts.describe('The steps whose work it merges'),
      lands: z.string().nullable().describe('The branch that it lands on'),
      inputs: texts,
      outputs: texts,
      values: texts,
      timeout: amount,
      attempts: count,
      iterations: count,
      items: amount.describe('Of a loop, null: known only at run time; 1 for other steps; 0: it never runs'),
      onFailure: z.enum(['retry', 'continue', 'skip', 'abort', 'rollback', 'skip-dependents']),
      approval: z.strictObject({ approvers: texts, choices: texts, fields: texts }).nullable(),
      display: z
        .strictObject({ title: z.string(), facts: z.array(z.tuple([z.string(), z.string()])) })
        .nullable()
        .describe('As the language shows it'),
    }),
  ),
  ceiling: z.strictObject({
    ...amounts,
    unbounded: z.array(
      z.strictObject({
        step: z.string(),
        what: z.enum(['launches', 'time', 'tokens', 'usd']),
        why: z.string(),
      }),
    ),
  }),
  expected: z.strictObject({ time: amount, tokens: z.number(), usd: amount }),
  assumptions: texts,
  promptContexts: promptContexts.describe('Empty: its language knows no such context'),
  warnings: diagnostics,
});

/** A run that was started. */
export const startedDocument = z.strictObject({
  schema: version,
  run: z.string(),
  workflow: z.string(),
  status: runStatus,
});

/** A text in another format. */
export const convertedDocument = z.strictObject({
  schema: version,
  text: z.string(),
  from: z.enum(formats),
  to: z.enum(formats),
  comments: z.enum(['kept', 'lost', 'none']).describe('JSON has no comments'),
});

export type WorkflowRow = DocumentOf<typeof workflowsDocument>[number];
export type WorkflowFile = DocumentOf<typeof workflowDocument>;
export type DraftDocument = DocumentOf<typeof draftDocument>;
export type SavedWorkflow = DocumentOf<typeof savedDocument>;
export type ValidateDocument = DocumentOf<typeof validateDocument>;
export type PlanDocument = DocumentOf<typeof planDocument>;
export type Contract = PlanDocument['contracts'][number];
export type Batch = PlanDocument['batches'][number];
export type ConvertedDocument = DocumentOf<typeof convertedDocument>;
export type LastRun = NonNullable<WorkflowRow['last_run']>;
export type ShownParameters = DocumentOf<typeof shownParameters>;
export type WorkflowOperation = DocumentOf<typeof operation>;
