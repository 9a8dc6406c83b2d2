import * as z from 'zod';
import {
  agentConfiguration,
  argv,
  choices,
  duration,
  name,
  network,
  onWorkers,
  permissions,
  text,
  ui,
  wholeNumber,
} from '../../yaml/schema.ts';
import { completionCheck, convergence, worker } from './check-schema.ts';
import { literalPath, madeValue, taken, valueType, variableName, variables, workBudget } from './parts.ts';
import { flowKeys, next, way } from './sequence.ts';

const input = z
  .strictObject({
    from: name.describe('The step that made it.'),
    artifact: name.describe('Its name there.'),
    as: literalPath
      .optional()
      .describe('The folder in the workspace into which it is put, also a single file; default: its name.'),
    required: z.boolean().optional().describe('Whether the step needs it; default false.'),
  })
  .meta({ title: 'input' });

const output = z
  .strictObject({
    name: name.describe('What later steps call it.'),
    path: text.describe('The file or folder in the workspace; expressions are allowed.'),
    type: z.string().optional().describe('What it is, for people: code, review, test-report.'),
    required: z.boolean().optional().describe('Whether the step fails without it; default false.'),
  })
  .meta({ title: 'output' });

const retry = z
  .strictObject({
    base: duration.optional().describe('The first pause; default 1s for agents, 100ms for commands.'),
    factor: z
      .number()
      .min(1, { error: 'at least 1' })
      .optional()
      .describe('What each pause grows by; default 2.'),
    cap: duration.optional().describe('The longest pause; default 30s.'),
    jitter: z.boolean().optional().describe('Whether pauses are shortened at random; default true.'),
    codes: z
      .array(wholeNumber(1))
      .optional()
      .describe('Exit codes after which it is tried again; default: all that may be better.'),
    never: z
      .array(text)
      .optional()
      .describe('Names of failures after which it never is: rate_limit_exhausted, or what the worker says.'),
    missing_outputs: z
      .boolean()
      .optional()
      .describe('Whether one missing declared output allows another attempt; default false.'),
  })
  .meta({ title: 'retry' });

const gate = z
  .strictObject({
    message: text.describe('What is asked; expressions are allowed.'),
    approvers: z.array(text).optional().describe('Who may answer; default: anybody.'),
    choices: choices
      .optional()
      .describe('What can be chosen: `reject` closes it, any other opens it; default approve, reject.'),
    fields: z
      .record(name, valueType)
      .optional()
      .describe('What an answer carries besides; later steps read it as `approval.fields`.'),
    timeout: duration.optional().describe('How long to wait; default: as long as it takes.'),
    on_timeout: z
      .enum(['abort', 'approve', 'reject'])
      .optional()
      .describe('What happens then; default abort.'),
  })
  .meta({ title: 'gate' });

const dependency = z
  .strictObject({
    step: name.describe('The step that must be over first.'),
    when: z
      .string()
      .optional()
      .describe('An expression: the dependency lets the step run only if it is true.'),
  })
  .meta({ title: 'dependency' });

const exported = z
  .strictObject({
    from: name.describe('The step of the sub-workflow.'),
    artifact: name.describe('Its artifact.'),
    as: name.optional().describe('What it is called here; default: the same.'),
  })
  .meta({ title: 'export' });

const landing = z
  .strictObject({
    branch: text.describe('The branch.'),
    by: z
      .enum(['merge', 'rebase', 'squash'])
      .optional()
      .describe('How the work is brought onto it; default merge.'),
  })
  .meta({ title: 'landing' });

const ownWorktree = z
  .strictObject({ worktree: z.literal('step', { error: 'step' }).describe('It is of this step alone.') })
  .meta({ title: 'worktree' });

const failurePolicies = ['retry', 'continue', 'skip_dependents', 'skip', 'abort', 'rollback'] as const;

/** The steps of a loop. */
const stepsOf = (): Steps =>
  z
    .record(name, stepSchema)
    .refine((steps) => Object.keys(steps).length > 0, { error: 'a mapping of at least one step' });

type Steps = z.ZodRecord<typeof name, typeof stepSchema>;

const forEach = z
  .strictObject({
    items: z
      .union([z.string(), z.array(z.json())], { error: 'a list, or one expression that gives a list' })
      .describe('A list, or one expression that gives one.'),
    as: z
      .string()
      .regex(/^[A-Za-z_][\w-]*$/, { error: 'a word that an expression can name' })
      .optional()
      .describe('What the current item is called in expressions; `item` always is.'),
    key: text
      .optional()
      .describe(
        'Names each item, by an expression: `values` and `errors` are mappings by it; default: lists.',
      ),
    concurrency: wholeNumber(1).optional().describe('Items at once; default 1.'),
    gives: name
      .optional()
      .describe('The step whose values are those of an item; default: those of all steps, by step.'),
    isolation: z
      .enum(['worktree'])
      .optional()
      .describe('worktree: each item has a git worktree and a branch; default: the workspace of the run.'),
    ...flowKeys,
    get steps(): Steps {
      return stepsOf().describe('The steps that are run for each item.');
    },
  })
  .meta({ title: 'loop' });

const whileLoop = z
  .strictObject({
    condition: text.describe('An expression: another round is made as long as it is true.'),
    max_iterations: wholeNumber(1).describe('After so many rounds the loop fails, if it is still true.'),
    ...flowKeys,
    get steps(): Steps {
      return stepsOf().describe('The steps of a round.');
    },
  })
  .meta({ title: 'while loop' });

const count = wholeNumber(0);

const whoWorks = {
  worker: worker.optional().describe('The program that does the work; CUSTOM: `instructions` is a script.'),
  provider: name.optional().describe('The provider of mailroom.yaml whose program does the work.'),
  agent: text
    .optional()
    .describe(
      'The agent of mailroom.yaml or agents.yaml that does the work, by name; one expression may choose it.',
    ),
  role: z
    .union([name, z.array(name).min(1, { error: 'a list of at least one role' })], {
      error: 'a role, or a list of roles',
    })
    .optional()
    .describe('The role of the protocol that does the work; of several one that is free, then the cheapest.'),
  command: argv.optional().describe('A program and its arguments, without a shell; expressions are allowed.'),
  gate: gate.optional().describe('A person must say yes.'),
};

const loops = {
  for_each: forEach.optional().describe('The same steps for each item of a list.'),
  while: whileLoop.optional().describe('The same steps as long as a condition is true.'),
};

const otherWork = {
  set: z
    .record(name, z.json())
    .optional()
    .describe('Values of `context` that it sets; expressions are allowed.'),
  route: z
    .array(way)
    .min(1, { error: 'a list of at least one way' })
    .optional()
    .describe('In a sequence: where it continues, by the first way whose condition is true.'),
  fail: text
    .optional()
    .describe('The run fails, or the loop around it, for this reason; expressions are allowed.'),
  workflow: text.optional().describe('The file of a sub-workflow, from the folder of this one.'),
  merge: z
    .array(name)
    .min(1, { error: 'a list of at least one step' })
    .optional()
    .describe('The steps whose work it merges in a git worktree; a worker beside it resolves conflicts.'),
  land: z
    .union([text, landing], { error: 'a branch, or a mapping of `branch` and `by`' })
    .optional()
    .describe('The branch that the work of the steps before is brought onto.'),
};

const whatIsDone = {
  model: text.optional().describe("The model, as the worker's program names it."),
  variant: text
    .optional()
    .describe('The variant of the model, or its effort, as the program names it: high.'),
  instructions: z.string().optional().describe('What is to be done; expressions are allowed.'),
  takes: z.record(text, taken).optional().describe('Additional named values in the prompt, quoted as data.'),
  summary: text
    .optional()
    .describe('Asks its agent for a summary, which is `steps.<id>.summary`; expressions are allowed.'),
  capabilities: permissions.optional().describe('What the worker may do.'),
  workspace: z
    .union([text, ownWorktree], { error: 'a folder, or `{ worktree: step }`' })
    .optional()
    .describe(
      "Where it works, from the run's workspace; default there. `{ worktree: step }`: its own git worktree.",
    ),
  on: onWorkers
    .optional()
    .describe('workers, or the labels that a worker must have: it runs there; default: here.'),
  on_conflict: z
    .enum(['fail', 'resolve'])
    .optional()
    .describe('What a conflict of `merge` does; default fail. resolve: its worker runs, to resolve it.'),
  network,
  env: variables.optional().describe('Variables of this step; expressions are allowed.'),
  secrets: z
    .array(variableName)
    .optional()
    .describe('The secrets that it gets; default: those of the workflow.'),
  stdin: text
    .optional()
    .describe('The file that it reads as standard input; of an agent without instructions, the prompt.'),
  stdout: text.optional().describe('The file that gets what it prints; of an agent, its final text.'),
  max_steps: wholeNumber(1).optional().describe('How many steps the worker may take.'),
  max_command_time: duration.optional().describe('How long each command of the worker may take.'),
  ...agentConfiguration,
  budget: workBudget.optional().describe('What one run of the worker may cost.'),
  with: z
    .record(name, z.json())
    .optional()
    .describe("The sub-workflow's parameters; expressions are allowed."),
  exports: z.array(exported).optional().describe("The sub-workflow's artifacts that become this step's."),
  exports_mode: z
    .enum(['replace', 'all'])
    .optional()
    .describe('replace (default): those under `exports`, anew in each iteration; all: every other one, too.'),
  bubble_subworkflow_events: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('Read for other programs; the steps of a sub-workflow are always shown.'),
};

const howItGoes = {
  timeout: duration.optional().describe('How long one run of the worker may take; default: 2h for an agent.'),
  grace: duration
    .optional()
    .describe('How long it may take to end itself when its time is over; default 3s.'),
  idle_timeout: duration
    .optional()
    .describe('How long the worker may print nothing before it is ended; default: no limit.'),
  on_stall: z
    .enum(['fail', 'retry', 'incomplete'])
    .optional()
    .describe('What follows then; default retry: it has failed as after its timeout.'),
  max_retries: count.optional().describe('Further attempts, with `on_failure: retry`; default 0.'),
  retry: retry.optional().describe('The pauses between attempts.'),
  completion_check: completionCheck
    .optional()
    .describe('The checker that decides whether the step is complete.'),
  max_iterations: count
    .optional()
    .describe('How often the step runs at most until it is complete; default 1.'),
  on_iterations_exhausted: z
    .enum(['abort', 'continue'])
    .optional()
    .describe('What happens if the step is still incomplete after `max_iterations`; default abort.'),
  convergence: convergence.optional().describe('What happens when iterations stop making progress.'),
  on_failure: z.enum(failurePolicies).optional().describe('What a failure does to the run; default abort.'),
  on_retries_exhausted: z
    .enum(['continue', 'skip_dependents', 'skip', 'abort', 'rollback'])
    .optional()
    .describe('What it does when no attempt is left; default abort.'),
};

const connections = {
  depends_on: z
    .array(z.union([name, dependency], { error: 'a step, or a mapping of `step` and `when`' }))
    .optional()
    .describe('The steps that must be over first, each with a condition or without.'),
  join: z
    .enum(['all', 'any', 'one_success', 'none_failed', 'all_done'])
    .optional()
    .describe('Whether all of them must let it run or one is enough, or how they must end; default all.'),
  next: next.optional().describe('In a sequence: where to continue.'),
  when: z
    .union([z.string(), z.boolean()], { error: 'an expression' })
    .optional()
    .describe('The step is skipped unless this expression is true.'),
  inputs: z.array(input).optional().describe('Artifacts of earlier steps.'),
  outputs: z.array(output).optional().describe('Files and folders that become artifacts.'),
  values: z.record(name, madeValue).optional().describe('Typed results that the worker hands over.'),
};

/** One step as written; a separate check covers which keys belong together. */
export const stepSchema = z
  .strictObject({
    description: z.string().optional().describe('What the step is for.'),
    ...whoWorks,
    ...loops,
    ...otherWork,
    ...whatIsDone,
    ...connections,
    ...howItGoes,
    ui,
  })
  .meta({ title: 'step' });

export type StepInput = z.output<typeof stepSchema>;
export type InputInput = NonNullable<StepInput['inputs']>[number];
export type OutputInput = NonNullable<StepInput['outputs']>[number];
export type ForEachInput = z.output<typeof forEach>;
export type WhileInput = z.output<typeof whileLoop>;
