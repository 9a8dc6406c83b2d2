import * as z from 'zod';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { Workflow } from '../../workflow/model.ts';

const most = 64;

/** The key that limits how many runs of a workflow are in progress at once. */
export const runsKey = z
  .strictObject({
    at_once: z
      .union([z.literal('any'), z.int().min(1).max(most)], {
        error: `a whole number from 1 to ${String(most)}, or \`any\``,
      })
      .optional()
      .describe(`How many, at most ${String(most)}; any: no limit. Default 1.`),
    otherwise: z
      .enum(['refuse', 'wait', 'cancel_older'])
      .optional()
      .describe(
        'A further run: refuse (default) ends with `E_LOCKED`, wait begins when another has ended, cancel_older cancels the oldest and then begins.',
      ),
  })
  .meta({ title: 'limit of runs' })
  .optional()
  .describe('How many runs of it may be in progress at once in one workspace; default: one.');

type RunsInput = z.output<typeof runsKey>;

/** The limit of concurrent runs; `{}`: none. */
export function lowerRuns(diagnostics: Diagnostics, input: RunsInput = {}): Pick<Workflow, 'runs'> {
  const { at_once: atOnce = 1, otherwise = 'refuse' } = input;
  if (atOnce === 'any' && input.otherwise !== undefined)
    diagnostics.warn(['runs', 'otherwise'], '`otherwise` does nothing with `at_once: any`');
  return atOnce === 'any' ? {} : { runs: { most: atOnce, otherwise } };
}
