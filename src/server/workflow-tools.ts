import process from 'node:process';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import type { Json } from '../core/json.ts';
import type { NewDefinition } from '../core/nip/defining.ts';
import type { WorkflowList } from '../core/nip/listing.ts';
import type { ExecutionReport } from '../core/nip/report.ts';
import { answer } from './answer.ts';

/** What is done for those who ask. */
export interface WorkflowDesk {
  readonly version: string;
  define(definition: NewDefinition): Promise<object>;
  /** Starts a run and, unless `async`, follows it to its end. */
  execute(asked: AskedRun): Promise<object>;
  status(execution: string): Promise<object>;
  list(): Promise<WorkflowList>;
  /** At most so many runs, newest first. */
  runs(most: number): Promise<RunList>;
  /** Ends a run permanently, and says how it stands then. */
  cancel(execution: string): Promise<object>;
}

export interface RunList {
  readonly runs: readonly Pick<
    ExecutionReport,
    'executionId' | 'workflowId' | 'status' | 'progress' | 'totalCost' | 'runtime' | 'message'
  >[];
  /** Why some runs are not listed. */
  readonly problems: readonly string[];
}

interface AskedRun {
  readonly workflowId: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Thousandths of a satoshi; null: as much as it costs. */
  readonly budget: number | null;
  /** Seconds; null: as long as the project allows. */
  readonly timeout: number | null;
  readonly async: boolean;
}

const instructions = `Workflows of the language nip: list or define them, execute one by its id, ask how a run stands, cancel it. Steps are
done by the roles of the project that list their kinds: \`list_workflows\` names them.`;

const step = z.strictObject({
  id: z.string(),
  agentKind: z.int().describe('The kind of the task: 5100. A role of the protocol lists it'),
  inputMapping: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('`$input.text`, `$translated.parts[0]`, `name=$input.text` or a literal; several as a list'),
  outputName: z.string().describe('What later steps call the result'),
  timeout: z.int().optional().describe('Seconds'),
  errorPolicy: z.enum(['retry', 'skip', 'abort']).optional().describe('Default: abort'),
  maxRetries: z.int().optional().describe('With `retry`; default 3'),
  maxBudget: z.int().optional().describe('In msats'),
});

const definition = z.strictObject({
  name: z.string().describe('For people'),
  id: z.string().optional().describe('The tag `d`; default: made of the name'),
  version: z.string().optional().describe('Default: 1.0.0'),
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
  timeout: z.int().min(1).nullable().default(null).describe('For the whole run, in seconds'),
  async: z.boolean().default(false).describe('Answer at once; `workflow_status` tells how the run stands'),
});

const executionId = z.string().describe('The id that `execute_workflow` answered with, or the end of it');

/** Serves until standard input ends. */
export async function serveWorkflows(desk: WorkflowDesk): Promise<void> {
  const server = new McpServer({ name: 'mailroom', version: desk.version }, { instructions });
  addLists(server, desk);
  addRuns(server, desk);
  const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve));
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}

function addLists(server: McpServer, desk: WorkflowDesk): void {
  server.registerTool(
    'list_workflows',
    {
      description:
        'List the workflows that `execute_workflow` can run, with their inputs, and the kinds of tasks that the roles of the project do.',
      inputSchema: z.strictObject({}),
      annotations: { readOnlyHint: true },
    },
    () => answer(async () => text(await desk.list())),
  );
  server.registerTool(
    'list_runs',
    {
      description: 'List the runs of workflows, newest first.',
      inputSchema: z.strictObject({ limit: z.int().min(1).max(100).default(20).describe('At most so many') }),
      annotations: { readOnlyHint: true },
    },
    ({ limit }) => answer(async () => text(await desk.runs(limit))),
  );
}

function addRuns(server: McpServer, desk: WorkflowDesk): void {
  server.registerTool(
    'define_workflow',
    { description: 'Define a new workflow with multiple steps.', inputSchema: definition },
    (asked) => answer(async () => text(await desk.define(asked))),
  );
  server.registerTool(
    'execute_workflow',
    { description: 'Execute a defined workflow with provided inputs.', inputSchema: execution },
    (asked) => answer(async () => text(await desk.execute(asked))),
  );
  server.registerTool(
    'workflow_status',
    {
      description: 'Tell how a run of a workflow stands, and what it has given so far.',
      inputSchema: z.strictObject({
        executionId: executionId.describe(
          'The id that `execute_workflow` answered with, or of a request (kind 5920)',
        ),
      }),
      annotations: { readOnlyHint: true },
    },
    (asked) => answer(async () => text(await desk.status(asked.executionId))),
  );
  server.registerTool(
    'cancel_workflow',
    {
      description: 'Cancel a run: its steps are stopped, and it cannot be resumed.',
      inputSchema: z.strictObject({ executionId }),
      annotations: { destructiveHint: true },
    },
    (asked) => answer(async () => text(await desk.cancel(asked.executionId))),
  );
}

function text(document: object): string {
  return JSON.stringify(document, null, 2);
}
