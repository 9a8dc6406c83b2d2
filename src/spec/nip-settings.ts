import * as z from 'zod';
import { defaultNip, type NipSettings } from '../core/config.ts';
import { wholeNumber } from './schema.ts';

/** `nip:` of mailroom.yaml, with the names that the language itself gives its settings. */
export const nipSettings = z
  .strictObject({
    enabled: z.boolean().optional().describe('Whether workflows of the language are read; default true.'),
    maxSteps: wholeNumber(1).optional().describe('Steps of one workflow; default 20.'),
    maxConcurrentWorkflows: wholeNumber(1).optional().describe('Runs at once; default 5.'),
    defaultTimeout: wholeNumber(1).optional().describe('Seconds that a run may take; default 300.'),
    budgetEnforcement: z
      .boolean()
      .optional()
      .describe('Whether a run ends that has spent more than its budget; default true.'),
    publishDefinitions: z
      .boolean()
      .optional()
      .describe('Accepted and without effect: events are written to the log, and sent nowhere.'),
    msats_per_usd: wholeNumber(1)
      .optional()
      .describe('Thousandths of a satoshi for a dollar: what roles cost is counted in them.'),
  })
  .meta({ title: 'set of settings of nip' });

export function lowerNip(input: z.output<typeof nipSettings> = {}): NipSettings {
  const { defaultTimeout, msats_per_usd: msatsPerUsd, publishDefinitions: _unused, ...rest } = input;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...defaultNip,
    ...given,
    ...(defaultTimeout === undefined ? {} : { defaultTimeout: defaultTimeout * 1_000 }),
    msatsPerUsd: msatsPerUsd ?? null,
  };
}
