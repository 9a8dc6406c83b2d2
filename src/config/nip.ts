import * as z from 'zod';
import { defaultNip, type NipSettings } from './config.ts';
import { wholeNumber } from '../yaml/schema.ts';

/** Unencrypted connections are accepted on the loopback interface only. */
function isRelay(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, hash } = new URL(text);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return hash === '' && (protocol === 'wss:' || (protocol === 'ws:' && isHere));
}

/** `nip:` of mailroom.yaml; its settings have the names that the language gives them. */
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
      .describe('Whether definitions are sent to the relays as well; default true.'),
    msats_per_usd: wholeNumber(1)
      .optional()
      .describe('Thousandths of a satoshi for a dollar: what roles cost is counted in them.'),
    maxBudget: wholeNumber(0)
      .optional()
      .describe('The most that a request of somebody else may ask for, in msats; default: any amount.'),
    relays: z
      .array(z.string().refine(isRelay, { error: 'the address of a relay: wss://…, on this machine ws://…' }))
      .optional()
      .describe('Relays that events are sent to, and that requests come from; default none.'),
    requesters: z
      .array(z.string().regex(/^[0-9a-f]{64}$/, { error: 'a public key: 64 digits or letters a to f' }))
      .optional()
      .describe('Public keys whose requests from relays are executed; default: none.'),
  })
  .meta({ title: 'set of settings of nip' });

export function lowerNip(input: z.output<typeof nipSettings> = {}): NipSettings {
  const { defaultTimeout, msats_per_usd: unitsPerUsd = null, ...rest } = input;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...defaultNip,
    ...given,
    ...(defaultTimeout === undefined ? {} : { defaultTimeout: defaultTimeout * 1_000 }),
    unitsPerUsd,
  };
}
