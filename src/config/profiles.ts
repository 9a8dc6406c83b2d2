import * as z from 'zod';
import type { Place } from '../kernel/diagnostic.ts';
import { capabilities as allCapabilities } from '../kernel/capabilities.ts';
import { ownValue } from '../kernel/own.ts';
import {
  agentConfiguration,
  duration,
  environment,
  name,
  network,
  roleDefaults,
  text,
  wholeNumber,
} from '../yaml/schema.ts';
import type { Habits } from '../yaml/suggest.ts';

const { provider, model, timeout, idle_timeout, budget } = roleDefaults;

/** What other programs call the agents' programs, and the providers that run them. */
export const workerProviders = {
  CODEX_CLI: 'codex',
  CLAUDE_CODE: 'claude',
  GEMINI_CLI: 'gemini',
  OPENCODE: 'opencode',
} as const;

/** MAILBOX and TASKS, of other programs: a role of a protocol has mail anyway, and a step never. */
const profilePermissions = z
  .array(z.enum([...allCapabilities, 'MAILBOX', 'TASKS']))
  .transform((value) => allCapabilities.filter((capability) => value.includes(capability)));

const profileKeys = z
  .strictObject({
    description: z.string().optional().describe('What it is for.'),
    provider,
    worker: z
      .enum(Object.keys(workerProviders) as (keyof typeof workerProviders)[])
      .optional()
      .describe('The same as `provider`, as other programs write it.'),
    model,
    capabilities: profilePermissions
      .optional()
      .describe('What the agent may do; default READ. MAILBOX and TASKS of other programs grant nothing.'),
    instructions: text
      .optional()
      .describe('What its agents read before the instructions of their role or step; without expressions.'),
    base_instructions: z.string().optional().describe('The same, as other programs write it.'),
    timeout,
    idle_timeout,
    variant: text.optional().describe('In steps: the variant of the model, or its effort: high.'),
    max_steps: wholeNumber(1).optional().describe('In steps: how many steps the worker may take.'),
    max_command_time: duration.optional().describe('In steps: how long each command of the worker may take.'),
    budget,
    network,
    env: environment,
    ...agentConfiguration,
  })
  .meta({ title: 'agent' });

/** `agents:` of mailroom.yaml or agents.yaml: settings of agents by name. */
export const profiles = z.record(name, profileKeys);

/** agents.yaml: the same in a file of its own. */
export const agentsFile = z
  .strictObject({
    $schema: z.string().optional().describe('For editors.'),
    version: z
      .union([z.literal('1'), z.literal(1)], { error: '"1"' })
      .optional()
      .describe('Read for other programs: "1".'),
    agents: profiles.describe('Settings of agents by name: roles and steps say `agent: <name>`.'),
  })
  .meta({ title: 'set of agents' });

/** What authors for other programs write in agents.yaml. */
export const profileHabits: Habits = {
  keys: {
    agent: {
      workspace: 'write `workspace` in the step',
      defaultArgs: 'write `arguments` of a provider in mailroom.yaml',
      mcp_configs: 'write `mcp: [<server>]`, which names servers of your own settings of its CLI',
      mcp_servers: 'write `mcp: [<server>]`, which names servers of your own settings of its CLI',
      strict_mcp_config: 'its agents use no servers but those under `mcp`: remove it',
    },
  },
  values: { worker: { custom: 'a script is not an agent: write `worker: CUSTOM` in the step' } },
};

export type ProfileInput = z.output<typeof profileKeys>;
type ProfileSettings = Omit<ProfileInput, 'description' | 'worker' | 'base_instructions'>;

/** The keys of other programs, by what they are called here. */
export const otherSpellings = { provider: 'worker', instructions: 'base_instructions' } as const;

/** An agent of a file. `placeOf`: where the file has a key of it, or with null the agent. */
export function profileOf(
  [id, given]: readonly [name: string, settings: ProfileInput],
  placeOf: (key: string | null) => Place,
): Profile {
  const { description: _, worker, base_instructions: base, ...input } = given;
  const settings: ProfileSettings = {
    ...(worker !== undefined && { provider: workerProviders[worker] }),
    ...(base !== undefined && base.trim() !== '' && { instructions: base }),
    ...input,
  };
  const others: Readonly<Record<string, string>> = {
    ...(input.provider === undefined && { provider: otherSpellings.provider }),
    ...(input.instructions === undefined && { instructions: otherSpellings.instructions }),
  };
  return {
    name: id,
    settings,
    place: (...[key]) => placeOf(key === undefined ? null : (others[key] ?? key)),
  };
}

/** Named settings of agents, which roles and steps refer to by `agent`. */
export interface Profile {
  readonly name: string;
  /** A missing key is not set. */
  readonly settings: ProfileSettings;
  /** Where the file has the profile, or one of its keys. */
  place(...key: [] | [keyof ProfileSettings]): Place;
}

/** The settings that a role or a step may take from a profile. */
type Own = Partial<Omit<ProfileSettings, 'instructions' | 'env'>> & { readonly env?: object | undefined };

/**
 * A role or step with what its profile sets and it does not; `env` and `budget` are completed entry
 * by entry. The model and variant of a profile belong to the profile's provider: another one gets
 * none.
 * Leaves out `instructions`.
 */
export function withProfile<T extends Own>(own: T, { settings }: Profile): T {
  const { instructions: _, env, budget: limits, model: itsModel, variant: itsVariant, ...rest } = settings;
  const sameProvider = own.provider === undefined || own.provider === settings.provider;
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return {
    ...rest,
    ...(sameProvider && itsModel !== undefined && { model: itsModel }),
    ...(sameProvider && itsVariant !== undefined && { variant: itsVariant }),
    ...given,
    ...(env !== undefined && { env: { ...env, ...own.env } }),
    ...(limits !== undefined && { budget: completed(own.budget, limits) }),
  } as T;
}

type Limits = NonNullable<ProfileSettings['budget']>;

function completed(own: Limits | undefined, limits: Limits): Limits {
  return { ...own, usd: own?.usd ?? limits.usd, tokens: own?.tokens ?? limits.tokens };
}

/** Where a value comes from that a role or step takes from its profile; null: it has its own. */
export function originOf(profile: Profile, key: string, own: object): string | null {
  const isTaken =
    Object.hasOwn(profile.settings, key) && ownValue(own as Record<string, unknown>, key) === undefined;
  if (!isTaken) return null;
  const { file, line, column } = profile.place(key as keyof ProfileSettings);
  return `\`${key}\` is set by the agent \`${profile.name}\`, at ${file}:${line}:${column}`;
}
