import * as z from 'zod';
import {
  agentConfiguration,
  argv,
  budget,
  duration,
  name,
  network,
  permissions,
  text,
  wholeNumber,
} from '../../yaml/schema.ts';
import { literalPath, variables } from './parts.ts';

/** The programs that execute steps; CUSTOM is a shell script. */
const workers = ['CODEX_CLI', 'CLAUDE_CODE', 'GEMINI_CLI', 'OPENCODE', 'CUSTOM'] as const;
export type Worker = (typeof workers)[number];

export const worker = z.enum(workers);

export const completionCheck = z
  .strictObject({
    worker: worker.optional().describe('Who checks.'),
    provider: name.optional().describe('The provider of mailroom.yaml whose program checks.'),
    agent: text.optional().describe('The agent of mailroom.yaml or agents.yaml that checks, by name.'),
    command: argv.optional().describe('A program that checks, instead of a worker; expressions are allowed.'),
    model: text.optional().describe("The model, as the worker's program names it."),
    variant: text
      .optional()
      .describe('The variant of the model, or its effort, as the program names it: high.'),
    instructions: z.string().optional().describe('What is to be checked, and when it is complete.'),
    capabilities: permissions.optional().describe('What the checker may do, mostly READ.'),
    timeout: duration
      .optional()
      .describe("How long one check may take; default: a quarter of the step's timeout, or 5m."),
    decision_file: literalPath
      .optional()
      .describe(
        'Where the verdict is read, in the workspace: JSON with `decision`, or PASS, COMPLETE, FAIL or INCOMPLETE.',
      ),
    max_steps: wholeNumber(1).optional().describe('How many steps the checker may take.'),
    max_command_time: duration.optional().describe('How long each command of the checker may take.'),
    ...agentConfiguration,
    network,
    env: variables.optional().describe('Variables besides those of the step; expressions are allowed.'),
    budget: budget.optional().describe('What one check may cost.'),
  })
  .meta({ title: 'completion check' });

const stage = z
  .strictObject({
    stage: wholeNumber(2).describe('From which stage on: 2 or more.'),
    append_instructions: text.optional().describe('What is added to the instructions then.'),
  })
  .meta({ title: 'stage' });

export const convergence = z
  .strictObject({
    enabled: z.boolean().optional().describe('Turns convergence detection on; default false.'),
    stall_threshold: wholeNumber(1)
      .optional()
      .describe('How often the same findings in a row are a standstill; default 2.'),
    max_stage: wholeNumber(1).optional().describe('The last stage; default 3.'),
    fail_on_max_stage: z
      .boolean()
      .optional()
      .describe('Whether the step fails when the last stage is reached; default true.'),
    stages: z.array(stage).optional().describe('What changes from which stage on.'),
    allowed_paths: z.array(text).optional().describe('Globs: only these files may change.'),
    ignored_paths: z.array(text).optional().describe('Globs: changes of these files do not count.'),
    diff_base_ref: text
      .regex(/^[^-\s][^\s]*$/, { error: 'the name of a commit' })
      .optional()
      .describe('The commit to compare with; default HEAD.'),
    diff_base_ref_file: literalPath.optional().describe('A file in the workspace that holds that name.'),
    max_changed_files: wholeNumber(0).optional().describe('How many files may change.'),
  })
  .meta({ title: 'convergence' });

export type CheckInput = z.output<typeof completionCheck>;
export type ConvergenceInput = z.output<typeof convergence>;
