import * as z from 'zod';
import type { PlanDocument } from '../runs/plan.ts';
import type { ValidateDocument } from '../validate.ts';
import type { WorkflowFile, WorkflowRow } from '../workflow-files.ts';
import { count, diagnostic, json, texts, version } from './common.ts';
import { schemaOf } from './schema-of.ts';

const diagnostics = z.array(diagnostic);

/** `workflows`. */
export const workflowsDocument = schemaOf<readonly WorkflowRow[]>()(
  z.array(
    z.strictObject({
      file: z.string(),
      ok: z.boolean().describe('False: it cannot be run'),
      name: z.string().nullable().describe('Null where there are errors'),
      version: z.string().nullable(),
      language: z.string().nullable(),
      description: z.string().nullable(),
      steps: count.nullable(),
      errors: diagnostics,
    }),
  ),
);

const parameter = z.strictObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'any']),
  enum: z.array(json).nullable().describe('The allowed values; null: any of its type'),
  required: z.boolean(),
  default: json.exactOptional(),
  description: z.string().nullable(),
});

/** A workflow file with its text, also one with errors. */
export const workflowDocument = schemaOf<WorkflowFile>()(
  z.strictObject({
    schema: version,
    kind: z.literal('workflow'),
    file: z.string(),
    ok: z.boolean(),
    language: z.string().nullable(),
    definition: json.describe('As written, without defaults; null where its YAML cannot be read'),
    errors: diagnostics,
    warnings: diagnostics,
    name: z.string().nullable(),
    version: z.string().nullable(),
    description: z.string().nullable(),
    revision: z.string().describe('Of the text'),
    text: z.string(),
    parameters: z.record(z.string(), parameter),
    graph: z.strictObject({
      nodes: z.array(z.strictObject({ id: z.string(), type: z.string(), batch: count })),
      edges: z.array(z.strictObject({ from: z.string(), to: z.string() })),
    }),
  }),
);

/** `validate`. */
export const validateDocument = schemaOf<ValidateDocument>()(
  z.strictObject({
    schema: version,
    ok: z.boolean().describe('False: one of them cannot be run'),
    workflows: z.array(
      z.strictObject({
        file: z.string(),
        ok: z.boolean(),
        name: z.string().nullable(),
        language: z.string().nullable(),
        steps: count.nullable(),
      }),
    ),
    error: diagnostic.nullable().describe('The first error'),
    errors: diagnostics,
    warnings: diagnostics,
  }),
);

const amount = z.number().nullable();
const amounts = {
  launches: amount.describe('Of agents and turns; null: unlimited'),
  processes: amount,
  time: amount.describe('Milliseconds'),
  tokens: amount,
  usd: amount,
};

/** `plan`. */
export const planDocument = schemaOf<PlanDocument>()(
  z.strictObject({
    schema: version,
    workflow: z.string(),
    language: z.string(),
    title: z.string().nullable(),
    overrides: z.array(z.strictObject({ file: z.string(), isNamed: z.boolean(), changes: texts })),
    batches: z.array(z.strictObject({ number: count, parallel: z.boolean(), steps: texts })),
    contracts: z.array(
      z.strictObject({
        step: z.string(),
        kind: z.string(),
        provider: z.string().nullable(),
        agents: z.array(z.strictObject({ name: z.string(), sets: texts })),
        role: z.string().nullable(),
        model: z.string().nullable(),
        capabilities: z.array(z.enum(['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'])),
        needs: texts,
        inputs: texts,
        outputs: texts,
        values: texts,
        timeout: amount,
        attempts: count,
        iterations: count,
        items: amount,
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
    warnings: diagnostics,
  }),
);

/** A run that was started. */
export const startedDocument = z.strictObject({
  schema: version,
  run: z.string(),
  workflow: z.string(),
  status: z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED']),
});
