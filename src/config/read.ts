import { builtInProviders, defaultConfig, providerKinds, providerNames } from './config.ts';
import type { Config, ProviderConfig, ProviderKind, RoleDefaults } from './config.ts';
import type { Checked, Diagnostic } from '../kernel/diagnostic.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import type { Price } from '../kernel/price.ts';
import { configFile } from './schema.ts';
import type { ConfigFile, ProviderInput } from './schema.ts';
import { inOrder } from '../yaml/diagnostics.ts';
import { checkShape } from '../yaml/issues.ts';
import { lowerNip } from './nip.ts';
import { parseYaml } from '../yaml/yaml.ts';
import type { Located, Path } from '../yaml/yaml.ts';
import { limitSettings } from './limits.ts';

/**
 * mailroom.yaml with every default filled in, or all of its errors. An empty file has all defaults.
 */
export function parseConfig(text: string, file: string): Checked<Config> {
  const yaml = parseYaml(text, file);
  if (!yaml.ok) return { ok: false, problems: yaml.problems };
  const shape = checkShape(configFile, yaml.value);
  if (shape.value === null) return { ok: false, problems: inOrder(shape.problems, [file]) };
  const config = lower(shape.value);
  const problems = inOrder(check(shape.value, config, yaml.value), [file]);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: config, warnings: [] };
}

function lower(input: ConfigFile): Config {
  const providers = Object.entries(input.providers ?? {});
  return {
    prices: new Map(Object.entries(input.prices ?? {}).map(([model, price]) => [model, lowerPrice(price)])),
    providers: new Map(providers.map(([name, provider]) => [name, lowerProvider(name, provider)])),
    defaults: lowerDefaults(input.defaults ?? {}),
    trail: input.trail === 'off' ? null : (input.trail ?? defaultConfig.trail),
    sandbox: input.sandbox ?? defaultConfig.sandbox,
    capabilities: input.capabilities ?? defaultConfig.capabilities,
    limits: limitSettings(input.limits),
    concurrency: input.concurrency ?? null,
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
  if (provider !== undefined && !providerNames(config).includes(provider)) {
    const hint =
      didYouMean(provider, providerNames(config)) ??
      `there are ${builtInProviders.join(', ')} and those under \`providers\``;
    error('E_UNKNOWN_NAME', ['defaults', 'provider'], `no provider is called \`${provider}\``, hint);
  }
  return problems;
}
