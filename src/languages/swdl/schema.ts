import * as z from 'zod';
import { choices, duration, text, ui, wholeNumber } from '../../yaml/schema.ts';
import { typePattern } from './types.ts';
import { target } from '../shared/target.ts';

/*
 * The shape of a file of the swdl language. As in the other schemas, every `error` completes "`key`
 * must be …".
 */

const kebab = z
  .string({ error: 'a name in kebab-case' })
  .max(100, { error: 'at most 100 characters long' })
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, {
    error: 'a name in kebab-case: small letters and digits, with `-` between',
  });

/** The name of a parameter, an input or an output, usable in expressions. */
const word = z
  .string()
  .max(100, { error: 'at most 100 characters long' })
  .regex(/^[A-Za-z_][\w-]*$/, { error: 'a word that an expression can name' });

const variableName = z.string().regex(/^[A-Za-z_]\w*$/, { error: 'the name of a variable' });

/** `agent:x`, `skill:x`, …: a reference to a file beside the workflow. */
function reference(...kinds: readonly string[]) {
  const written = kinds.map((kind) => `${kind}:<name>`).join(' or ');
  return z
    .string({ error: `a reference: ${written}` })
    .regex(new RegExp(`^(?:${kinds.join('|')}):[A-Za-z0-9_][\\w.-]*$`), { error: `a reference: ${written}` });
}

const typeWords =
  'a type: string, number, integer, boolean, object, array<T>, artifact_ref, memory_item or context_module';
const valueType = z
  .string({ error: typeWords })
  .regex(typePattern, { error: ({ input }) => `${typeWords}, not \`${String(input)}\`` });

/** Semantic Versioning 2.0.0, <https://semver.org>. */
const semantic =
  /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/;
const versionWords = 'a semantic version: MAJOR.MINOR.PATCH, such as 1.0.0';
const version = z
  .string({ error: versionWords })
  .max(100, { error: 'at most 100 characters long' })
  .regex(semantic, { error: versionWords });

const parameter = z
  .strictObject({
    type: valueType.describe('What it is: string, number, integer, boolean, object, array<T>.'),
    required: z.boolean().optional().describe('Whether a run must give it; default false.'),
    default: z.json().optional().describe('What holds where a run gives none.'),
    description: z.string().optional().describe('What it means.'),
  })
  .meta({ title: 'parameter' });

const input = z
  .strictObject(
    {
      type: valueType.describe('What it must be.'),
      source: z.json().describe('Where it comes from: an expression, or a value as it is.'),
      required: z.boolean().optional().describe('Whether the stage needs it; default false.'),
      description: z.string().optional().describe('What it means.'),
    },
    { error: 'a mapping such as { type: string, source: … }' },
  )
  .meta({ title: 'input' });

const output = z
  .strictObject({
    type: valueType.describe('What it must be.'),
    required: z.boolean().optional().describe('Whether the stage must produce it; default false.'),
    default: z.json().optional().describe('What holds where the stage does not produce it.'),
    description: z.string().optional().describe('What it means, for the agent.'),
  })
  .meta({ title: 'output' });

const memory = z
  .strictObject({
    project_scope: text.optional().describe('Whose memories: current (default), or the id of a project.'),
    min_confidence: z
      .number()
      .min(0, { error: 'from 0 to 1' })
      .max(1, { error: 'from 0 to 1' })
      .optional()
      .describe('Only memories that are at least so certain; default 0.7.'),
    categories: z.array(text).optional().describe('Only these categories; default: all.'),
    max_tokens: wholeNumber(0).optional().describe('How much of them a prompt may have; default 2000.'),
  })
  .meta({ title: 'memory query' });

const retryKeys = {
  max_attempts: wholeNumber(1)
    .optional()
    .describe('How often it is tried, the first time counted; default 2.'),
  initial_interval: duration.optional().describe('The first pause; default 30s.'),
  backoff_multiplier: z
    .number()
    .min(1, { error: 'at least 1' })
    .optional()
    .describe('What each pause grows by; default 2.'),
  max_interval: duration.optional().describe('The longest pause; default 5m.'),
  non_retryable_errors: z
    .array(text)
    .optional()
    .describe('Names of failures after which it is not tried again.'),
};

const retry = z
  .strictObject(retryKeys, { error: 'a mapping such as { max_attempts: 3 }' })
  .meta({ title: 'retry policy' });

const stagePolicy = z
  .strictObject({
    retry: retry.optional().describe('How often it is tried again, and when.'),
    on_failure: z
      .enum(['halt', 'continue', 'skip_dependents'])
      .optional()
      .describe('What its failure does to the run; default halt.'),
    timeout: duration.optional().describe('How long one attempt may take; default 30m.'),
  })
  .meta({ title: 'error policy' });

const primary = z
  .strictObject(
    {
      artifact: reference('agent').describe('Who does it: agent:<name>.'),
      model: text.optional().describe('The model; default: that of the agent, else opus.'),
      instructions: z.string().optional().describe('What this stage is about; expressions are allowed.'),
    },
    { error: 'a mapping such as { artifact: "agent:writer" }' },
  )
  .meta({ title: 'role' });

const roles = z
  .strictObject({
    primary: primary.describe('The agent that does the stage.'),
    tools: z
      .array(reference('skill', 'mcp'), { error: 'a list such as ["skill:search"]' })
      .optional()
      .describe('Skills and MCP servers that it may use.'),
  })
  .meta({ title: 'set of roles' });

const handoff = z
  .strictObject({
    format: z
      .enum(['structured', 'markdown', 'raw'])
      .optional()
      .describe('How dependents get its outputs; default structured, as JSON.'),
    include_run_log: z
      .boolean()
      .optional()
      .describe('Whether they get the end of what its agent said; default false.'),
    summary_prompt: z.string().optional().describe('Asks its agent for a summary for them.'),
  })
  .meta({ title: 'handoff' });

export const stageContext = z
  .strictObject({
    modules: z.array(reference('ctx')).optional().describe('Modules that its prompt has besides.'),
    memory: memory.optional().describe('Which memories its prompt has.'),
  })
  .meta({ title: "stage's context" });

export const workflowContext = z
  .strictObject({
    global_modules: z.array(reference('ctx')).optional().describe('Modules that every prompt has.'),
    memory: memory.optional().describe('Which memories every prompt has.'),
  })
  .meta({ title: "workflow's context" });

const gateField = z
  .strictObject({
    type: parameter.shape.type,
    required: z.boolean().optional().describe('Whether an answer must have it; default false.'),
    default: z.json().optional().describe('What holds where an answer has none.'),
    description: z.string().optional().describe('What it means.'),
    enum: z
      .array(z.json())
      .min(1, { error: 'a list of at least one value' })
      .optional()
      .describe('The values that are allowed.'),
  })
  .meta({ title: 'field of an answer' });

const gate = z
  .strictObject({
    kind: z.literal('manual_approval').describe('manual_approval: a person says yes or no.'),
    approvers: z.array(text).optional().describe('Who may; default: anybody.'),
    choices: choices
      .optional()
      .describe('What can be chosen: `reject` closes it, any other opens it; default approve, reject.'),
    fields: z
      .record(word, gateField)
      .optional()
      .describe('What an answer carries besides; later stages read it as `outputs.fields`.'),
    timeout: duration.optional().describe('How long to wait; default: as long as it takes.'),
    on_timeout: z
      .enum(['halt', 'auto_approve', 'reject'])
      .optional()
      .describe('What happens then; default halt.'),
    message: z.string().optional().describe('What is asked; expressions are allowed.'),
  })
  .meta({ title: 'gate' });

const work = {
  roles: roles.optional().describe('Who does it, with which tools.'),
  inputs: z.record(word, input).optional().describe('What it is given.'),
  outputs: z.record(word, output).optional().describe('What it produces.'),
  context: stageContext.optional().describe('What its prompt has besides the context of the workflow.'),
  error_policy: stagePolicy.optional().describe('What happens when it fails.'),
};

/** The required keys of a stage of a type, as JSON Schema. */
function ofType(type: string, required: readonly string[]): object {
  const keys = required.filter((key) => key !== 'type').map((key) => [key, { description: `Of ${type}.` }]);
  const is = { const: type, description: 'What it is.' };
  return { type: 'object', properties: { type: is, ...Object.fromEntries(keys) }, required };
}

const fanOut = z
  .strictObject({
    source: z
      .union([z.string(), z.array(z.json())], { error: 'an expression that is a list, or a list' })
      .describe('What it is run for: an expression that is a list, or the list itself.'),
    stage_template: z
      .strictObject({
        ...work,
        error_policy: stagePolicy
          .omit({ on_failure: true })
          .meta({ title: "stage template's error policy" })
          .optional()
          .describe('How an item is tried again, and how long an attempt may take.'),
      })
      // For editors: a separate check with its own messages covers the required keys of each type.
      .meta({ title: 'stage template', required: ['roles'] })
      .describe('The stage that is run for each item, which is `item` in it.'),
  })
  .meta({ title: 'fan-out' });

export const stageSchema = z
  .strictObject({
    id: kebab.describe('Its name in the workflow, in kebab-case.'),
    name: text.optional().describe('What people call it; default: its id.'),
    description: z.string().optional().describe('What it is for.'),
    depends_on: z
      .array(kebab, { error: 'a list of stages, such as [plan]' })
      .optional()
      .describe('The stages that must be over first.'),
    condition: z
      .union([z.string(), z.boolean(), z.null()], { error: 'an expression, or null' })
      .optional()
      .describe('The stage is skipped unless it is true; null: never.'),
    type: z.enum(['agent', 'gate', 'fan_out']).optional().describe('agent (default), gate or fan_out.'),
    ...work,
    handoff: handoff.optional().describe('How what it produces reaches its dependents.'),
    gate: gate.optional().describe('Of a stage of the type gate: who must say yes.'),
    fan_out: fanOut.optional().describe('Of a stage of the type fan_out: for what it is run.'),
    ui,
  })
  // For editors, as above.
  .meta({
    title: 'stage',
    anyOf: [
      ofType('agent', ['roles']),
      ofType('gate', ['type', 'gate']),
      ofType('fan_out', ['type', 'fan_out']),
    ],
  });

const notice = z
  .strictObject({
    channel: text.describe('The recipient: <scheme>:<target>, or a target of the scheme `channel`.'),
    message: z.string().optional().describe('What it says; expressions are allowed.'),
  })
  .meta({ title: 'notification' });

const hook = z
  .strictObject({
    notify: z
      .union([target, notice], { error: '<scheme>:<target>, such as slack:#deployments' })
      .optional()
      .describe('The recipient of a notification: <scheme>:<target>, or a mapping with its words.'),
    run: text.optional().describe('A command line, without a shell; expressions are allowed.'),
  })
  .meta({ title: 'hook' });

/** A workflow of the swdl language. */
export const swdlFile = z
  .strictObject({
    $schema: z.string().optional().describe('For editors.'),
    workflow: z
      .strictObject({
        id: kebab.describe('Its unique name, in kebab-case.'),
        name: text.describe('What people call it.'),
        version: version.describe('Its semantic version, such as 1.0.0.'),
        description: z.string().optional().describe('What it is for.'),
        author: z.string().optional().describe('Who wrote it.'),
        tags: z.array(z.string()).optional().describe('Words to find it by.'),
        ui,
      })
      .meta({ title: 'workflow' })
      .describe('What it is.'),
    config: z
      .strictObject({
        parameters: z.record(word, parameter).optional().describe('What a run is given.'),
        timeout: duration.optional().describe('How long a run may take; default 2h.'),
        env: z
          .record(
            variableName,
            z.union([z.string(), z.number(), z.boolean()], { error: 'a string, a number, true or false' }),
          )
          .optional()
          .describe('Variables of every stage; expressions are allowed.'),
      })
      .meta({ title: 'configuration' })
      .optional()
      .describe('What holds for all stages.'),
    context: workflowContext.optional().describe('What every prompt has.'),
    stages: z
      .array(stageSchema, { error: 'a list of stages, each with its `id`' })
      .min(1, { error: 'a list of at least one stage' })
      .describe('The stages. They start as soon as what they depend on is over.'),
    error_policy: z
      .strictObject({
        default_retry: retry.optional().describe('How stages are tried again that do not say.'),
        on_stage_failure: z
          .enum(['halt', 'continue', 'rollback'])
          .optional()
          .describe('What a failure does to the run, where the stage does not say; default halt.'),
      })
      .meta({ title: "workflow's error policy" })
      .optional()
      .describe('What holds for stages that do not say.'),
    hooks: z
      .strictObject({
        on_start: hook.optional().describe('When the run begins.'),
        on_complete: hook.optional().describe('When it has succeeded.'),
        on_failure: hook.optional().describe('When it has ended in any other way.'),
      })
      .meta({ title: 'set of hooks' })
      .optional()
      .describe('Programs and notifications at the start and end of a run.'),
  })
  .meta({ title: 'workflow file' });

export type SwdlFile = z.output<typeof swdlFile>;
export type StageInput = z.output<typeof stageSchema>;
export type WorkInput = Pick<StageInput, keyof typeof work>;
export type StageContext = z.output<typeof stageContext>;
export type WorkflowContext = z.output<typeof workflowContext>;
export type MemoryInput = z.output<typeof memory>;
export type HookInput = z.output<typeof hook>;
