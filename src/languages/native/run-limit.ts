import * as z from 'zod';
import type { Workflow } from '../../workflow/model.ts';
import { wholeNumber } from '../../yaml/schema.ts';

const most = 64;

/** The key that limits how many runs of a workflow are in progress at once. */
export const runsKey = z
  .strictObject({
    at_once: z
      .union([z.literal('any'), wholeNumber(1).max(most)], {
        error: `a whole number from 1 to ${String(most)}, or \`any\``,
      })
      .optional()
      .describe(`How many, at most ${String(most)}; any: no limit. Default 1.`),
    otherwise: z
      .enum(['refuse', 'wait'])
      .optional()
      .describe('A further run: refuse (default) ends with `E_LOCKED`, wait begins when another has ended.'),
  })
  .meta({ title: 'limit of runs' })
  .optional()
  .describe('How many runs of it may be in progress at once in one workspace; default: one.');

type RunsInput = z.output<typeof runsKey>;

/** The limit of concurrent runs; `{}`: none. */
export function lowerRuns({ at_once: atOnce = 1, otherwise = 'refuse' }: RunsInput = {}): Pick<
  Workflow,
  'runs'
> {
  return atOnce === 'any' ? {} : { runs: { most: atOnce, otherwise } };
}
