import type * as z from 'zod';
import {
  acpAgents,
  builtInProviders,
  defaultConfig,
  isAcpAgent,
  providerKinds,
  providerNames,
} from './config.ts';
import type { Config, ProviderConfig, ProviderKind, RoleDefaults, WorkersSettings } from './config.ts';
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
import { isJsonObject } from '../kernel/json.ts';
import { inOrder, where } from '../yaml/diagnostics.ts';
import { checkShape } from '../yaml/issues.ts';
import { lowerChannels } from './channels.ts';
import { lowerNip } from './nip.ts';
import { validParts } from '../yaml/shape.ts';
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
  const settings = read<ConfigFile>(configFile, text, file);
  const sources = [settings, ...(agents ? [read<WithAgents>(agentsFile, agents.text, agents.path)] : [])];
  const profiles = sources.flatMap(({ input, located }) => profilesOf(input, located));
  const config = lower(settings.input, profiles);
  // In a file with problems a provider may be defined that was not read.
  const providers = settings.problems.length === 0 ? providerNames(config) : null;
  const problems = inOrder(
    [
      ...sources.flatMap((source) => source.problems),
      ...check(settings, config, providers),
      ...checkProfiles(profiles, providers),
      ...sources.flatMap(({ input, located }) => doubleKeys(input, located)),
    ],
    [file, ...(agents === null ? [] : [agents.path])],
  );
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: config, warnings: [] };
}

/** The valid parts of a file; none where it is not YAML. */
interface Source<T> {
  readonly input: Partial<T>;
  readonly located: Located;
  readonly problems: readonly Diagnostic[];
}

function read<T extends object>(schema: z.ZodObject, text: string, file: string): Source<T> {
  const yaml = parseYaml(text, file);
  if (!yaml.ok) return { ...read<T>(schema, '', file), problems: yaml.problems };
  const { value, problems } = checkShape(schema, yaml.value, profileHabits);
  const given = isJsonObject(yaml.value.value) ? yaml.value.value : {};
  return { input: (value ?? validParts(schema, given)) as Partial<T>, located: yaml.value, problems };
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
  const { input, located, problems: unread } = read<WithAgents>(agentsFile, text, path);
  const profiles = profilesOf(input, located);
  const own = checkProfiles([...config.profiles.values(), ...profiles], providerNames(config));
  const found = own.filter(({ place }) => place?.file === path);
  const problems = inOrder([...unread, ...found, ...doubleKeys(input, located)], [path]);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: profiles, warnings: [] };
}

function lower(input: Partial<ConfigFile>, profiles: readonly Profile[]): Config {
  const providers = Object.entries(input.providers ?? {});
  return {
    prices: new Map(Object.entries(input.prices ?? {}).map(([model, price]) => [model, lowerPrice(price)])),
    providers: new Map(providers.map(([name, provider]) => [name, lowerProvider(name, provider)])),
    defaults: lowerDefaults(input.defaults ?? {}),
    profiles: new Map(profiles.map((profile) => [profile.name, profile])),
    trail: input.trail === 'off' ? null : (input.trail ?? defaultConfig.trail),
    protected: input.protected ?? defaultConfig.protected,
    sandbox: input.sandbox ?? defaultConfig.sandbox,
    capabilities: input.capabilities ?? defaultConfig.capabilities,
    limits: limitSettings(input.limits),
    concurrency: input.concurrency ?? null,
    keep: input.keep === undefined || input.keep === 'all' ? null : input.keep,
    webhookPort: input.webhooks?.port ?? defaultConfig.webhookPort,
    inboxPatterns: input.inbox_patterns ?? [],
    notify: input.notify ?? {},
    mcp: input.mcp === 'on',
    nip: lowerNip(input.nip),
    workers: input.workers === undefined ? null : lowerWorkers(input.workers),
    channels: lowerChannels(input.channels),
  };
}

function lowerWorkers({ queue, git, lease }: NonNullable<ConfigFile['workers']>): WorkersSettings {
  return { queue: queue ?? null, git: git ?? null, lease: lease ?? 120_000 };
}

/** A provider under a built-in name reconfigures that provider; any other name is a program. */
function lowerProvider(name: string, input: ProviderInput): ProviderConfig {
  const same = isAcpAgent(name) ? 'acp' : (providerKinds.find((kind) => kind === name) ?? 'command');
  return {
    name,
    kind: input.kind ?? same,
    command: input.command ?? null,
    arguments: input.arguments ?? [],
    env: input.env ?? [],
    writable: input.writable ?? [],
    tests: input.tests ?? null,
    prices: input.prices === undefined ? null : lowerPrice(input.prices),
    ...(input.exit_grace !== undefined && { exitGrace: input.exit_grace }),
    ...(input.system_prompt === 'short' && { systemPrompt: 'short' as const }),
  };
}

function lowerPrice({ input, cached, written, output }: NonNullable<ProviderInput['prices']>): Price {
  return { input, cached: cached ?? input, ...(written !== undefined && { written }), output };
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

/** The checks that a schema cannot express. `known`: the providers; null: not all are known. */
function check(
  { input, located }: Source<ConfigFile>,
  config: Config,
  known: readonly string[] | null,
): Diagnostic[] {
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
    } else if (needsCommand(provider)) {
      const hint = `name a program, \`command: [my-agent]\`, or the kind of agent it is: ${providerKinds.join(', ')}`;
      error('E_MISSING_KEY', path, `the provider \`${provider.name}\` has no \`command\``, hint, 'key');
    }
    const why = provider.systemPrompt && ownPromptOnly[provider.kind];
    if (why !== undefined)
      error('E_VALUE', [...path, 'system_prompt'], `\`system_prompt\` cannot be short: ${why}`, null);
  }
  const provider = input.defaults?.provider;
  if (provider !== undefined && known?.includes(provider) === false)
    error('E_UNKNOWN_NAME', ['defaults', 'provider'], ...unknownProvider(provider, known));
  return problems;
}

/** By kind: why the system prompt of a program cannot be replaced. */
const ownPromptOnly: Readonly<Partial<Record<ProviderKind, string>>> = {
  codex: 'codex has no switch for it that its authors advise to use',
  agy: 'agy has no switch for it',
  acp: 'the Agent Client Protocol has no word for it',
  command: 'the program alone knows its model',
  replay: 'a recording answers, and no model',
};

/** Whether no program is known for a provider: neither by its kind nor by its name. */
function needsCommand({ name, kind, command }: ProviderConfig): boolean {
  return command === null && (kind === 'command' || (kind === 'acp' && !isAcpAgent(name)));
}

/** Two profiles of one name, unknown providers, and expressions, which nothing evaluates here. */
function checkProfiles(profiles: readonly Profile[], known: readonly string[] | null): Diagnostic[] {
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
    if (settings.provider !== undefined && known?.includes(settings.provider) === false)
      error('E_UNKNOWN_NAME', profile.place('provider'), ...unknownProvider(settings.provider, known));
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

function unknownProvider(provider: string, known: readonly string[]): [message: string, hint: string] {
  const others = `there are ${[...builtInProviders, ...acpAgents].join(', ')} and those under \`providers\``;
  return [`no provider is called \`${provider}\``, didYouMean(provider, known) ?? others];
}
