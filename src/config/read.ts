import type * as z from 'zod';
import { builtInProviders, defaultConfig, providerKinds, providerNames } from './config.ts';
import type { Config, ProviderConfig, ProviderKind, RoleDefaults } from './config.ts';
import type { Checked, Diagnostic, Place } from '../kernel/diagnostic.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import type { Price } from '../kernel/price.ts';
import { configFile } from './schema.ts';
import type { ConfigFile, ProviderInput } from './schema.ts';
import {
  agentsFile,
  otherSpellings,
  profileHabits,
  profileOf,
  type Profile,
  type ProfileInput,
} from './profiles.ts';
import { inOrder, where } from '../yaml/diagnostics.ts';
import { checkShape } from '../yaml/issues.ts';
import { lowerNip } from './nip.ts';
import { parseYaml } from '../yaml/yaml.ts';
import type { Located, Path } from '../yaml/yaml.ts';
import { limitSettings } from './limits.ts';

/** A file of the configuration, by its path in diagnostics. */
interface ConfigText {
  readonly path: string;
  readonly text: string;
}

/**
 * mailroom.yaml with every default filled in, and the agents of agents.yaml; or all errors of both.
 * An empty or missing mailroom.yaml has all defaults.
 */
export function parseConfig(text: string, file: string, agents: ConfigText | null = null): Checked<Config> {
  const [settings, others] = [
    read(configFile, text, file),
    agents && read(agentsFile, agents.text, agents.path),
  ];
  const unread = [settings, others].flatMap((each) => (each?.ok === false ? each.problems : []));
  const files = [file, ...(agents === null ? [] : [agents.path])];
  if (!settings.ok || others?.ok === false) return { ok: false, problems: inOrder(unread, files) };
  const { input, located } = settings;
  const profiles = [
    ...profilesOf(input, located),
    ...(others === null ? [] : profilesOf(others.input, others.located)),
  ];
  const config = lower(input, profiles);
  const doubled = [
    ...doubleKeys(input, located),
    ...(others === null ? [] : doubleKeys(others.input, others.located)),
  ];
  const found = [...check(input, config, located), ...checkProfiles(profiles, config), ...doubled];
  const problems = inOrder(found, files);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: config, warnings: [] };
}

function read<T>(schema: z.ZodType<T>, text: string, file: string) {
  const yaml = parseYaml(text, file);
  if (!yaml.ok) return { ok: false as const, problems: yaml.problems };
  const shape = checkShape(schema, yaml.value, profileHabits);
  if (shape.value === null) return { ok: false as const, problems: shape.problems };
  return { ok: true as const, input: shape.value, located: yaml.value };
}

interface WithAgents {
  readonly agents?: Readonly<Record<string, ProfileInput>> | undefined;
}

function profilesOf({ agents = {} }: WithAgents, located: Located): Profile[] {
  return Object.entries(agents).map((entry) =>
    profileOf(entry, (key) => {
      const path = ['agents', entry[0]];
      return key === null ? located.place(path, 'key') : located.place([...path, key], 'value');
    }),
  );
}

/** Keys of agents beside another spelling of the same key. */
function doubleKeys({ agents = {} }: WithAgents, located: Located): Diagnostic[] {
  return Object.entries(agents).flatMap(([name, input]) =>
    Object.entries(otherSpellings).flatMap(([key, other]): Diagnostic[] => {
      if (input[key as 'provider'] === undefined || input[other] === undefined) return [];
      const place = located.place(['agents', name, other], 'key');
      const message = `\`${other}\` is another spelling of \`${key}\`, which the agent has, too`;
      return [{ code: 'E_DUPLICATE', severity: 'error', message, place, hint: 'remove one of them' }];
    }),
  );
}

/**
 * The agents of an agents.yaml beside a workflow, for a project with this configuration. Its names
 * differ from those of the project.
 */
export function parseAgents({ text, path }: ConfigText, config: Config): Checked<readonly Profile[]> {
  const file = read(agentsFile, text, path);
  if (!file.ok) return file;
  const profiles = profilesOf(file.input, file.located);
  const own = checkProfiles([...config.profiles.values(), ...profiles], config);
  const found = own.filter(({ place }) => place?.file === path);
  const problems = inOrder([...found, ...doubleKeys(file.input, file.located)], [path]);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: profiles, warnings: [] };
}

function lower(input: ConfigFile, profiles: readonly Profile[]): Config {
  const providers = Object.entries(input.providers ?? {});
  return {
    prices: new Map(Object.entries(input.prices ?? {}).map(([model, price]) => [model, lowerPrice(price)])),
    providers: new Map(providers.map(([name, provider]) => [name, lowerProvider(name, provider)])),
    defaults: lowerDefaults(input.defaults ?? {}),
    profiles: new Map(profiles.map((profile) => [profile.name, profile])),
    trail: input.trail === 'off' ? null : (input.trail ?? defaultConfig.trail),
    sandbox: input.sandbox ?? defaultConfig.sandbox,
    capabilities: input.capabilities ?? defaultConfig.capabilities,
    limits: limitSettings(input.limits),
    concurrency: input.concurrency ?? null,
    keep: input.keep === undefined || input.keep === 'all' ? null : input.keep,
    webhookPort: input.webhooks?.port ?? defaultConfig.webhookPort,
    inboxPatterns: input.inbox_patterns ?? [],
    notify: input.notify ?? {},
    mcp: input.mcp !== 'off',
    nip: lowerNip(input.nip),
  };
}

/** A provider under a built-in name reconfigures that provider; any other name is a program. */
function lowerProvider(name: string, input: ProviderInput): ProviderConfig {
  const same: ProviderKind = providerKinds.find((kind) => kind === name) ?? 'command';
  return {
    name,
    kind: input.kind ?? same,
    command: input.command ?? null,
    arguments: input.arguments ?? [],
    env: input.env ?? [],
    writable: input.writable ?? [],
    tests: input.tests ?? null,
    prices: input.prices === undefined ? null : lowerPrice(input.prices),
  };
}

function lowerPrice({ input, cached, output }: NonNullable<ProviderInput['prices']>): Price {
  return { input, cached: cached ?? input, output };
}

function lowerDefaults(input: NonNullable<ConfigFile['defaults']>): RoleDefaults {
  return {
    provider: input.provider ?? null,
    fallback: input.fallback ?? null,
    model: input.model ?? null,
    capabilities: input.capabilities ?? null,
    timeout: input.timeout ?? null,
    idleTimeout: input.idle_timeout ?? null,
    concurrency: input.concurrency ?? null,
    session: input.session ?? null,
    retries: input.retries ?? null,
    budget: input.budget ?? null,
    maxTokens: input.max_tokens ?? null,
  };
}

/** The checks that a schema cannot express. */
function check(input: ConfigFile, config: Config, located: Located): Diagnostic[] {
  const problems: Diagnostic[] = [];
  const error = (code: ErrorCode, path: Path, message: string, hint: string | null, part?: 'key'): void => {
    problems.push({ code, severity: 'error', message, place: located.place(path, part), hint });
  };
  for (const provider of config.providers.values()) {
    const path = ['providers', provider.name];
    if (provider.name === 'human') {
      error(
        'E_DUPLICATE',
        path,
        'the provider `human` is built in and runs nothing',
        'give yours another name',
        'key',
      );
    } else if (provider.kind === 'command' && provider.command === null) {
      const hint = `name a program, \`command: [my-agent]\`, or the kind of agent it is: ${providerKinds.join(', ')}`;
      error('E_MISSING_KEY', path, `the provider \`${provider.name}\` has no \`command\``, hint, 'key');
    }
  }
  const provider = input.defaults?.provider;
  if (provider !== undefined && !providerNames(config).includes(provider))
    error('E_UNKNOWN_NAME', ['defaults', 'provider'], ...unknownProvider(provider, config));
  return problems;
}

/** Two profiles of one name, unknown providers, and expressions, which nothing evaluates here. */
function checkProfiles(profiles: readonly Profile[], config: Config): Diagnostic[] {
  const first = new Map<string, Profile>();
  return profiles.flatMap((profile) => {
    const problems: Diagnostic[] = [];
    const { name, settings } = profile;
    const error = (code: ErrorCode, place: Place, message: string, hint: string | null): void =>
      void problems.push({ code, severity: 'error', message, place, hint });
    const other = first.get(name);
    if (other === undefined) first.set(name, profile);
    else
      error(
        'E_DUPLICATE',
        profile.place(),
        `the agent \`${name}\` is defined twice`,
        `the first one is at ${where(other.place())}`,
      );
    if (settings.provider !== undefined && !providerNames(config).includes(settings.provider))
      error('E_UNKNOWN_NAME', profile.place('provider'), ...unknownProvider(settings.provider, config));
    for (const key of ['instructions', 'env'] as const)
      if (JSON.stringify(settings[key] ?? '').includes('${{'))
        error(
          'E_EXPRESSION',
          profile.place(key),
          `\`${key}\` of an agent must not contain an expression`,
          `write it under \`${key}\` of a step`,
        );
    return problems;
  });
}

function unknownProvider(provider: string, config: Config): [message: string, hint: string] {
  const known = providerNames(config);
  const others = `there are ${builtInProviders.join(', ')} and those under \`providers\``;
  return [`no provider is called \`${provider}\``, didYouMean(provider, known) ?? others];
}
