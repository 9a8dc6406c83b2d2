import * as z from 'zod';
import { budget, duration, name, text, ui, wholeNumber } from '../../yaml/schema.ts';
import { stepSchema } from './step-schema.ts';
import { branchKeys } from './branch.ts';
import { runsKey } from './run-limit.ts';
import { flowKeys } from './sequence.ts';
import { hooks, triggers } from './trigger-schema.ts';
import { literalPath, valueType, variableName, variables } from './parts.ts';

/** A workflow of the native language. */
export const nativeFile = z
  .strictObject({
    $schema: z.string().optional().describe('For editors.'),
    name: text.describe('What the workflow is called.'),
    version: z
      .union([z.literal('1'), z.literal(1)], { error: '"1"' })
      .describe('The version of the language: "1".'),
    description: z.string().optional().describe('What it is for.'),
    timeout: duration.describe('How long a run may take: 30m, 2h.'),
    concurrency: wholeNumber(1)
      .optional()
      .describe('Steps at once; default 64. Of agents, never more than `concurrency` of mailroom.yaml.'),
    ...flowKeys,
    context_dir: literalPath
      .optional()
      .describe(
        'Where artifacts lie, in the workspace; default context, or a folder of the run while that is used.',
      ),
    runs: runsKey,
    parameters: z.record(name, valueType).optional().describe('What a run is given: `--param name=value`.'),
    context: z
      .record(name, z.json())
      .optional()
      .describe(
        'Values of `context` where the caller gives none; expressions may read parameters, `env` and the values above.',
      ),
    inherit: z
      .array(variableName)
      .optional()
      .describe('Variables of the host that steps get and that expressions see as `env`.'),
    env: variables.optional().describe('Variables of every step; expressions are allowed.'),
    secrets: z
      .array(variableName)
      .optional()
      .describe('Names of variables that the steps get and that are masked everywhere.'),
    budget: budget.optional().describe('What one run may cost.'),
    ...branchKeys,
    triggers: triggers.optional().describe('What starts a run automatically while `up` is running.'),
    hooks: hooks.optional().describe('Programs and notifications at the start and end of a run.'),
    ui,
    steps: z
      .record(name, stepSchema)
      .refine((steps) => Object.keys(steps).length > 0, { error: 'a mapping of at least one step' })
      .describe('The steps by id. They run as soon as what they depend on lets them.'),
    finally: z
      .record(name, stepSchema)
      .refine((steps) => Object.keys(steps).length > 0, { error: 'a mapping of at least one step' })
      .optional()
      .describe('Steps that run once all others are over, however that came about; `run` says how.'),
  })
  .meta({ title: 'workflow' });

export type NativeFile = z.output<typeof nativeFile>;
