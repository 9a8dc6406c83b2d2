import * as z from 'zod';
import type { Place } from '../kernel/diagnostic.ts';
import { agentConfiguration, environment, name, network, roleDefaults, text } from '../yaml/schema.ts';

const { provider, model, capabilities, timeout, idle_timeout, budget } = roleDefaults;

const profileKeys = z
  .strictObject({
    provider,
    model,
    capabilities,
    instructions: text
      .optional()
      .describe('What its agents read before the instructions of their role or step; without expressions.'),
    timeout,
    idle_timeout,
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
    agents: profiles.describe('Settings of agents by name: roles and steps say `agent: <name>`.'),
  })
  .meta({ title: 'set of agents' });

export type ProfileSettings = z.output<typeof profileKeys>;

/** Named settings of agents, which roles and steps refer to by `agent`. */
export interface Profile {
  readonly name: string;
  /** In the form of the file: a missing key is not set. */
  readonly settings: ProfileSettings;
  /** Where the file has the profile, or one of its keys. */
  place(...key: [] | [keyof ProfileSettings]): Place;
}

/** The settings that a role or a step may take from a profile. */
type Own = Partial<Omit<ProfileSettings, 'instructions' | 'env'>> & { readonly env?: object | undefined };

/**
 * A role or step with what its profile sets and it does not; `env` and `budget` are completed entry
 * by entry. The model of a profile belongs to the profile's provider: another one gets none.
 * Leaves out `instructions`.
 */
export function withProfile<T extends Own>(own: T, { settings }: Profile): T {
  const { instructions: _, env, budget: limits, model: itsModel, ...rest } = settings;
  const sameProvider = own.provider === undefined || own.provider === settings.provider;
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return {
    ...rest,
    ...(sameProvider && itsModel !== undefined && { model: itsModel }),
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
  const isTaken = key in profile.settings && (own as Record<string, unknown>)[key] === undefined;
  if (!isTaken) return null;
  const { file, line, column } = profile.place(key as keyof ProfileSettings);
  return `\`${key}\` is set by the agent \`${profile.name}\`, at ${file}:${line}:${column}`;
}
