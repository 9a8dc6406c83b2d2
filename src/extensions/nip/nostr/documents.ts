import * as z from 'zod';
import type { Diagnostic } from '../../../kernel/diagnostic.ts';
import type { DocumentOf } from '../../../kernel/json.ts';

/*
 * The documents of the workflow tools, whose `structuredContent` they are.
 */

const count = z.int().min(0);
const msats = count.describe('In msats');
const byName = z.record(z.string(), z.json()).describe('By name, what the workflow has given so far');
const executionId = z
  .string()
  .describe('What the request calls the run; of a run that was started here the id of the run');
const status = z
  .enum(['running', 'completed', 'failed', 'cancelled', 'stopped'])
  .describe('`stopped`: it is not over, and no process works on it');
const progress = z
  .strictObject({ completed: count, total: count })
  .describe('Steps that have completed, of all');

/** The status of a run, in the terms of the language. */
export const report = z.strictObject({
  executionId,
  run: z.string().describe('The id of the run in this project'),
  workflowId: z.string(),
  status,
  outputs: byName,
  stepsCompleted: count,
  progress,
  currentStep: z.string().nullable(),
  totalCost: msats,
  remainingBudget: z
    .number()
    .nullable()
    .describe('In msats, below 0 where more was spent; null: it has no budget'),
  runtime: z.number().describe('In milliseconds'),
  message: z
    .string()
    .describe('Why it did not complete, or how to resume it; empty: there is nothing to say'),
  unsentEvents: count.describe('Events of it that some relay of the project has not answered yet'),
});

/** The status of a remote run, as one author reports it. */
const published = z.strictObject({
  executionId,
  status,
  outputs: byName,
  stepsCompleted: count,
  progress,
  currentStep: z.string().nullable(),
  totalCost: msats,
  message: z.string(),
  reportedBy: z.string().describe('The public key of the author'),
  reportedAt: z.string().describe('ISO 8601'),
});

/** A run of this project, or only `request` and `reports`: a remote run. */
export const runStatus = report.partial().extend({
  request: z.string().optional().describe('Of a run elsewhere: the id of its request'),
  reports: z.array(published).optional().describe('Of a run elsewhere: what each author has signed of it'),
});

export const runs = z.strictObject({
  runs: z.array(
    report.pick({
      executionId: true,
      run: true,
      workflowId: true,
      status: true,
      progress: true,
      totalCost: true,
      runtime: true,
      message: true,
    }),
  ),
  problems: z.array(z.string()).describe('Why some runs are not listed'),
});

export const defined = z.strictObject({
  workflowId: z.string().describe('What `execute_workflow` runs it by'),
  eventId: z.string(),
  version: z.string(),
  stepCount: count,
  replaced: z.string().nullable().describe('The event that this id stood for until now'),
  newer: z.string().nullable().describe('The event of a newer definition, which this id still stands for'),
  warnings: z
    .array(z.string())
    .describe('What is without effect in the definition, or probably not meant: argument, line, column, why'),
  relays: z
    .record(z.string(), z.string())
    .nullable()
    .describe('By address, what each relay says to it; null: it was sent to none'),
});

/** Definitions that can be run by their ids, and the task kinds that the project's roles do. */
export const workflows = z.strictObject({
  workflows: z.array(
    z.strictObject({
      workflowId: z.string(),
      eventId: z.string(),
      name: z.string(),
      version: z.string(),
      description: z.string(),
      inputs: z.array(z.strictObject({ name: z.string(), type: z.string(), required: z.boolean() })),
      kinds: z.array(count).describe('The kinds of the tasks of its steps'),
    }),
  ),
  kinds: z
    .array(z.strictObject({ kind: count, roles: z.array(z.string()) }))
    .describe('The kinds of tasks that roles of the project do'),
});

export type ExecutionReport = DocumentOf<typeof report>;
export type PublishedStatus = DocumentOf<typeof published>;
export type WorkflowList = DocumentOf<typeof workflows>;

/** A definition that was kept. */
export type Defined = Omit<DocumentOf<typeof defined>, 'warnings'> & {
  readonly warnings: readonly Diagnostic[];
};
