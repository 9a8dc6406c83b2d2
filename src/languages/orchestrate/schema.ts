import * as z from 'zod';
import { argv, name, permissions, text, wholeNumber } from '../../yaml/schema.ts';

/*
 * The shape of a file of the orchestrate language. As in the other schemas, every `error` completes
 * "`key` must be …".
 */

const variableName = z
  .string({ error: 'the name of a variable' })
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'the name of a variable' });

const variableNames = z.array(variableName, { error: 'a list of names of variables, such as [TOKEN]' });

const seconds = z
  .number({ error: 'a number of seconds' })
  .positive({ error: 'a number of seconds, more than 0' });

const operator = z.enum(['==', '!=', '>', '<', '>=', '<=']);

/** What a condition may compare. */
const comparisons = {
  step_ok: z.string().optional().describe('The step has ended with exit code 0.'),
  exit_code: z
    .strictObject({
      step: z.string().describe('The step.'),
      op: operator.describe('How they compare.'),
      value: z.number().describe('The number that it is compared with.'),
    })
    .optional()
    .describe('How the exit code of a step compares.'),
  file_exists: text.optional().describe('The file is there, from the workspace.'),
  env_set: text.optional().describe('The variable, which `env` allows, is set.'),
  equals: z
    .strictObject(
      { left: z.string().describe('A string.'), right: z.string().describe('A string.') },
      { error: 'a mapping such as { left: …, right: … }' },
    )
    .optional()
    .describe('The texts are the same.'),
  contains: z
    .strictObject({
      haystack: z.string().describe('The text that is looked through.'),
      needle: z.string().describe('The text that is looked for.'),
    })
    .optional()
    .describe('The one text is in the other.'),
  regex: z
    .strictObject({
      text: z.string().describe('The text that is looked through.'),
      pattern: z.string().describe('A pattern of RE2.'),
      flags: z.string().optional().describe('i: case does not count; m: lines; s: a dot is any character.'),
    })
    .optional()
    .describe('The text has a match; flags are i, m and s.'),
  number: z
    .strictObject({
      left: z.string().describe('A string that is a number.'),
      op: operator.describe('How they compare.'),
      right: z.number().describe('The number that it is compared with.'),
    })
    .optional()
    .describe('How to compare a string as a number.'),
};

/** A condition as written; all of its keys must hold. */
export interface ConditionInput extends z.output<z.ZodObject<typeof comparisons>> {
  all?: ConditionInput[] | undefined;
  any?: ConditionInput[] | undefined;
  not?: ConditionInput | undefined;
}

/** Created anew for each use, so that each has its own description. */
const conditions = () =>
  z.array(
    z.lazy(() => condition),
    { error: 'a list of conditions, such as [{ step_ok: Build }]' },
  );

export const condition: z.ZodType<ConditionInput, Record<string, unknown>> = z
  .strictObject(
    {
      all: conditions().optional().describe('All of these hold.'),
      any: conditions().optional().describe('One of these holds.'),
      not: z
        .lazy(() => condition)
        .optional()
        .describe('This does not hold.'),
      ...comparisons,
    },
    { error: 'a mapping of conditions, such as { step_ok: Build }' },
  )
  .refine((value) => Object.keys(value).length > 0, { error: 'at least one condition' })
  .meta({ title: 'condition' });

const transition = z
  .strictObject(
    {
      goto: text
        .optional()
        .describe('The step that comes next, or _start, _end, _error, _loop_break, _loop_continue.'),
      error: z.string().optional().describe('The run fails with this message.'),
      end: z.literal(true).optional().describe('The run ends well.'),
    },
    { error: 'a mapping such as { goto: NextStep }' },
  )
  .meta({ title: 'transition' });

const transitions = z
  .strictObject({
    success: transition.optional().describe('Where to continue after exit code 0.'),
    failure: transition.optional().describe('Where to continue after any other.'),
    timeout: transition
      .optional()
      .describe('Where to continue after a timeout; default: as after a failure.'),
  })
  .meta({ title: 'set of transitions' });

export type TransitionInput = z.output<typeof transition>;

/** Keys that the language reserves for later: the lowering reports their replacements. */
const deferred = z
  .unknown()
  .optional()
  .describe('Not there in this language: see docs/languages/orchestrate.md.');

/** The steps of a file or a loop. */
type Steps = z.ZodArray<typeof step>;

const steps = (): Steps => z.array(step).min(1, { error: 'a list of at least one step' });

const forEach = z
  .strictObject({
    items: z
      .union([z.string(), z.array(z.json())], { error: 'a list, or one `${context.…}` that is a list' })
      .describe('A list, or one `${context.…}` that is one.'),
    as: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, { error: 'a word that `${…}` can name' })
      .optional()
      .describe('What the current item is called; `item` always is.'),
    get steps(): Steps {
      return steps().describe('The steps for each item.');
    },
    parallel: deferred,
  })
  .meta({ title: 'loop' });

const whileLoop = z
  .strictObject({
    condition: condition.describe('Another round is made as long as it holds.'),
    max_iterations: wholeNumber(1).describe('After so many rounds the loop fails, if it still holds.'),
    get steps(): Steps {
      return steps().describe('The steps of a round.');
    },
  })
  .meta({ title: 'while loop' });

/** One step as written; a separate check covers which keys belong together. */
export const step = z
  .strictObject({
    name: name.describe('What it is called, once in the file.'),
    command: argv.optional().describe('A program and its arguments, without a shell.'),
    provider: z.enum(['claude', 'openai', 'gemini']).optional().describe('An agent that gets a prompt.'),
    for_each: forEach.optional().describe('The same steps for each item of a list.'),
    while: whileLoop.optional().describe('The same steps as long as a condition holds.'),
    set_context: z.record(name, z.json()).optional().describe('Sets values of `context`.'),
    model: text.optional().describe('The model of a provider.'),
    max_tokens: wholeNumber(1).optional().describe('What a shim gets as --max-tokens; default 4000.'),
    capabilities: permissions.optional().describe('What the agent of a provider may do; default READ.'),
    input_file: text.optional().describe('The file that it reads as standard input.'),
    prompt_file: text.optional().describe('The same, of a provider: its prompt.'),
    output_file: text.optional().describe('The file in artifacts/<step>/ that gets what it prints.'),
    when: condition.optional().describe('It is skipped unless this holds.'),
    on: transitions.optional().describe('Where to continue.'),
    timeout: seconds.optional().describe('Seconds; default 300.'),
    retry: z
      .strictObject(
        { attempts: wholeNumber(1).optional().describe('Attempts, the first one counted.') },
        { error: 'a mapping such as { attempts: 3 }' },
      )
      .meta({ title: 'retry' })
      .optional()
      .describe('After exit codes 1 and 124 it is tried again.'),
    allow_missing_vars: z.array(text).optional().describe('Variables that are empty when they are missing.'),
    secrets: variableNames.optional().describe('The secrets that it gets; default: those of the workflow.'),
    parallel: deferred,
    limits: deferred,
    input_files: deferred,
    catch: deferred,
  })
  .meta({ title: 'step' });

export type ForEachInput = z.output<typeof forEach>;
export type WhileInput = z.output<typeof whileLoop>;
export type StepInput = z.output<typeof step>;

/** A workflow of the orchestrate language. */
export const orchestrateFile = z
  .strictObject({
    $schema: z.string().optional().describe('For editors.'),
    version: z.union([z.literal('1.0'), z.literal(1)], { error: '"1.0"' }).describe('Always "1.0".'),
    name: text.describe('What the workflow is called.'),
    strict_flow: z.boolean().optional().describe('Always true: every step says where to continue.'),
    context: z.record(name, z.json()).optional().describe('Values of `context` at the start.'),
    env: variableNames.optional().describe('Variables that `${env.…}` may read; the steps get them, too.'),
    secrets: variableNames
      .optional()
      .describe('Variables that the steps get and that are masked everywhere.'),
    steps: z
      .array(step)
      .min(1, { error: 'a list of at least one step' })
      .describe('The steps; the first one begins.'),
    limits: deferred,
    parallel: deferred,
  })
  .meta({ title: 'workflow' });

export type OrchestrateFile = z.output<typeof orchestrateFile>;
