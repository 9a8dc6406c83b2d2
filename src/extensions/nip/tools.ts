import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Json } from '../../kernel/json.ts';
import type { NewDefinition } from './language/defining.ts';
import { answer } from '../../server/mcp/answer.ts';
import { withProgress, type Progress } from '../../server/mcp/progress.ts';
import * as documents from './nostr/documents.ts';

/** The operations behind the workflow tools. */
export interface WorkflowToolServices {
  define(definition: NewDefinition): Promise<object>;
  /** Starts a run and, unless `async`, follows it to its end. */
  execute(asked: AskedRun, report: (progress: Progress) => void): Promise<documents.ExecutionReport>;
  status(execution: string): Promise<object>;
  list(): Promise<documents.WorkflowList>;
  /** At most this many runs, newest first. */
  runs(most: number): Promise<RunList>;
  /** Ends a run permanently, and reports its final status. */
  cancel(execution: string, report: (progress: Progress) => void): Promise<documents.ExecutionReport>;
}

export interface RunList {
  readonly runs: readonly Pick<
    documents.ExecutionReport,
    'executionId' | 'run' | 'workflowId' | 'status' | 'progress' | 'totalCost' | 'runtime' | 'message'
  >[];
  /** Why some runs are not listed. */
  readonly problems: readonly string[];
}

interface AskedRun {
  readonly workflowId: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Thousandths of a satoshi; null: unlimited. */
  readonly budget: number | null;
  /** Seconds; null: the project's limit. */
  readonly timeout: number | null;
  readonly async: boolean;
}

export const nipInstructions = `Workflows of the language nip have tools of their own: \`list_workflows\`, \`define_workflow\`, \`execute_workflow\` by id,
\`workflow_status\`, \`list_runs\`, \`cancel_workflow\`. Roles of the project that list their kinds do their steps.`;

/** A year, in seconds: a longer timeout is a mistake. */
const mostSeconds = 31_536_000;

const step = z.strictObject({
  id: z.string().describe('Unique in the workflow: letters, digits, `_`, `-` and `.`'),
  agentKind: z
    .int()
    .min(0)
    .max(65_535)
    .describe('The kind of the task: 5100. A role of the protocol lists it'),
  inputMapping: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('`$input.text`, `$translated.parts[0]`, `name=$input.text` or a literal; several as a list'),
  outputName: z.string().describe('What later steps call the result'),
  timeout: z.int().min(1).max(mostSeconds).optional().describe('Seconds'),
  errorPolicy: z.enum(['retry', 'skip', 'abort']).optional().describe('Default: abort'),
  maxRetries: z.int().min(0).max(1_000).optional().describe('With `retry`; default 3'),
  maxBudget: z.int().min(1).optional().describe('In msats'),
});

const definition = z.strictObject({
  name: z.string().min(1).describe('For people'),
  id: z
    .string()
    .min(1)
    .optional()
    .describe(
      'What `execute_workflow` runs it by, the tag `d`; default: made of the name. A later definition of an id replaces the earlier one',
    ),
  version: z.string().min(1).optional().describe('Of the definition, for people: 1.2.0. Default: 1.0.0'),
  description: z.string().optional(),
  steps: z.array(step).min(1),
  edges: z
    .array(
      z.strictObject({
        from: z.string(),
        to: z.string(),
        condition: z.string().optional().describe('`always`, which is the default, or `$.size.long == true`'),
      }),
    )
    .optional()
    .describe('Which step follows which. Without any all run at once'),
  inputs: z
    .array(
      z.strictObject({
        name: z.string(),
        type: z.enum(['string', 'number', 'boolean', 'object']),
        required: z.boolean().optional(),
      }),
    )
    .optional(),
  outputs: z
    .array(z.strictObject({ name: z.string(), type: z.string().optional() }))
    .optional()
    .describe('Default: what the last steps make'),
});

const execution = z.strictObject({
  workflowId: z.string().describe('The id of a definition, or of its event'),
  inputs: z.record(z.string(), z.json()).default({}),
  budget: z.int().min(0).nullable().default(null).describe('For the whole run, in msats'),
  timeout: z.int().min(1).max(mostSeconds).nullable().default(null).describe('For the whole run, in seconds'),
  async: z
    .boolean()
    .default(false)
    .describe('Answer immediately; `workflow_status` reports the status of the run'),
});

const anExecution = z
  .string()
  .describe('The `executionId` that `execute_workflow` answered with, or the id of the run or the end of it');

/** Adds the tools of workflows from events. */
export function addWorkflowTools(server: McpServer, services: WorkflowToolServices): void {
  addLists(server, services);
  addRuns(server, services);
}

function addLists(server: McpServer, services: WorkflowToolServices): void {
  server.registerTool(
    'list_workflows',
    {
      title: 'List workflows',
      annotations: { readOnlyHint: true, openWorldHint: false },

      description:
        'List the workflows that `execute_workflow` can run, with their inputs, and the kinds of tasks that the roles of the project do.',
      inputSchema: z.strictObject({}),
      outputSchema: documents.workflows,
    },
    () => answer(async () => ({ document: await services.list() })),
  );
  server.registerTool(
    'list_runs',
    {
      title: 'List runs',
      annotations: { readOnlyHint: true, openWorldHint: false },

      description: 'List the runs of workflows, newest first.',
      inputSchema: z.strictObject({ limit: z.int().min(1).max(100).default(20).describe('At most so many') }),
      outputSchema: documents.runs,
    },
    ({ limit }) => answer(async () => ({ document: await services.runs(limit) })),
  );
}

function addRuns(server: McpServer, services: WorkflowToolServices): void {
  server.registerTool(
    'define_workflow',
    {
      title: 'Define a workflow',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      description: 'Define a new workflow with multiple steps.',
      inputSchema: definition,
      outputSchema: documents.defined,
    },
    (asked) => answer(async () => ({ document: await services.define(asked) })),
  );
  server.registerTool(
    'execute_workflow',
    {
      title: 'Execute a workflow',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      description: 'Execute a defined workflow with provided inputs.',
      inputSchema: execution,
      outputSchema: documents.report,
    },
    (asked, call) =>
      answer(async () => {
        const document = await withProgress(call, (report) => services.execute(asked, report));
        return { document, failure: failureOf(document) };
      }),
  );
  server.registerTool(
    'workflow_status',
    {
      title: 'Status of a run',
      annotations: { readOnlyHint: true, openWorldHint: true },

      description: 'Report the status of a run and its results so far.',
      inputSchema: z.strictObject({
        executionId: anExecution.describe(
          'The `executionId` that `execute_workflow` answered with, the id of the run or the end of it, or that of a request (kind 5920)',
        ),
      }),
      outputSchema: documents.runStatus,
    },
    ({ executionId }) => answer(async () => ({ document: await services.status(executionId) })),
  );
  server.registerTool(
    'cancel_workflow',
    {
      title: 'Cancel a run',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },

      description: 'Cancel a run: its steps are stopped, and it cannot be resumed.',
      inputSchema: z.strictObject({ executionId: anExecution }),
      outputSchema: documents.report,
    },
    ({ executionId }, call) =>
      answer(async () => ({
        document: await withProgress(call, (report) => services.cancel(executionId, report)),
      })),
  );
}

/** Why a run did not complete, in a line; null: it has, or is in progress. */
function failureOf({ run, status, message }: documents.ExecutionReport): string | null {
  if (status === 'completed' || status === 'running') return null;
  return `The run ${run} is ${status}${message === '' ? '' : `: ${message}`}`;
}
