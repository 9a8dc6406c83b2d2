import { acpAgents, type ProviderConfig, type ProviderKind } from '../config/config.ts';
import { MailroomError } from '../kernel/errors.ts';
import { priceOf, type PriceList } from '../kernel/price.ts';
import { ownValue } from '../kernel/own.ts';
import { acpProvider } from './acp.ts';
import { agyProvider } from './agy.ts';
import { presetFor } from './acp-presets.ts';
import { withCredibleUsage } from './credible-usage.ts';
import { claudeProvider } from './claude.ts';
import { codexProvider } from './codex.ts';
import { commandProvider } from './command.ts';
import { geminiProvider } from './gemini.ts';
import { humanProvider } from './human.ts';
import { opencodeProvider } from './opencode.ts';
import { piProvider } from './pi.ts';
import { shortSystemPrompt, usualExitGraceMs, usualTests, type ProviderOptions } from './options.ts';
import { builtInPrices } from './prices.ts';
import { replayProvider } from './replay.ts';
import type { Provider } from './provider.ts';

/** What the composition root knows about this machine and this installation. */
interface ProviderEnvironment {
  /**
   * The host's environment: `HOME`, `MAILROOM_CLAUDE_BIN` and the like, and variables that locate
   * the CLIs' configuration.
   */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The path of the Node that runs this process. */
  readonly node: string;
  /** The path of bin/replay-agent.mjs. */
  readonly replayAgent: string;
  /** The path of bin/acp-agent.mjs. */
  readonly acpAgent: string;
  /** The path of bin/pi-policy.mjs. */
  readonly piExtension: string;
  /** The folder of the recording for `replay`; missing: `MAILROOM_RECORDING` names it. */
  readonly recording?: string;
  /** The project's prices, which override the built-in table. */
  readonly prices?: PriceList;
}

const factories: Readonly<Record<ProviderKind, (options: ProviderOptions) => Provider>> = {
  claude: claudeProvider,
  codex: codexProvider,
  gemini: geminiProvider,
  opencode: opencodeProvider,
  pi: piProvider,
  agy: agyProvider,
  acp: acpProvider,
  replay: replayProvider,
  command: commandProvider,
};

function providerOf(kind: ProviderKind, options: ProviderOptions): Provider {
  return withCredibleUsage(factories[kind](options));
}

/** The providers that every project has, by name: the agent CLIs, `replay` and `human`. */
export function builtInProviders(environment: ProviderEnvironment): Map<string, Provider> {
  const providers = new Map<string, Provider>([['human', humanProvider()]]);
  for (const kind of ['claude', 'codex', 'gemini', 'opencode', 'pi', 'agy', 'replay'] as const) {
    providers.set(kind, providerOf(kind, defaults(kind, environment)));
  }
  for (const name of acpAgents) providers.set(name, providerOf('acp', acpDefaults(name, null, environment)));
  return providers;
}

/**
 * A provider as configured in mailroom.yaml: a built-in one with another program, arguments,
 * variables or prices, or an arbitrary program. Throws `E_VALUE` if a program is required and
 * missing.
 */
export function namedProvider(config: ProviderConfig, environment: ProviderEnvironment): Provider {
  const base =
    config.kind === 'acp'
      ? acpDefaults(config.name, config.command?.[0] ?? null, environment)
      : defaults(config.kind, environment);
  const command = config.command ?? base.command;
  if ((command[0] ?? '') === '') {
    throw new MailroomError(
      'E_VALUE',
      `provider ${config.name} names no command`,
      'say what runs, e.g. command: [node, agent.mjs]',
    );
  }
  return providerOf(config.kind, {
    name: config.name,
    command,
    arguments: config.arguments,
    inherit: config.env,
    writable: [...base.writable, ...config.writable.map((path) => atHome(path, environment))],
    settings: base.settings,
    guarded: base.guarded,
    environment: base.environment,
    tests: config.tests ?? base.tests,
    exitGraceMs: config.exitGrace ?? base.exitGraceMs,
    acpAgent: base.acpAgent,
    piExtension: base.piExtension,
    ...(base.recording !== undefined && { recording: base.recording }),
    ...(config.systemPrompt === 'short' && { systemPrompt: shortSystemPrompt }),
    price: (model) => config.prices ?? base.price(model),
  });
}

/**
 * The providers of a project by name: the built-in ones, overridden by those of its mailroom.yaml.
 */
export function providersOf(
  named: Iterable<ProviderConfig>,
  environment: ProviderEnvironment,
): Map<string, Provider> {
  const providers = builtInProviders(environment);
  for (const config of named) providers.set(config.name, namedProvider(config, environment));
  return providers;
}

function defaults(kind: ProviderKind, environment: ProviderEnvironment): ProviderOptions {
  const prices = pricesOf(environment.prices);
  return {
    name: kind,
    command: programOf(kind, environment),
    arguments: [],
    inherit: [],
    writable: foldersOf(kind, environment),
    settings: settingsOf(kind, environment),
    guarded: [
      ...guardedSettings(kind, foldersOf(kind, environment)),
      ...(kind === 'claude' ? settingsOf(kind, environment) : []),
    ],
    environment: environment.variables,
    tests: usualTests,
    exitGraceMs: usualExitGraceMs,
    acpAgent: [environment.node, environment.acpAgent],
    piExtension: environment.piExtension,
    ...(environment.recording !== undefined && { recording: environment.recording }),
    price: (model) => priceOf(prices, model),
  };
}

/** Those of an agent that speaks the Agent Client Protocol: of its preset, if there is one. */
function acpDefaults(
  name: string,
  program: string | null,
  environment: ProviderEnvironment,
): ProviderOptions {
  const preset = presetFor(name, program);
  const base = { ...defaults('acp', environment), name };
  if (preset === null) return base;
  const [first, ...rest] = preset.command;
  const folders = preset.folders.map((path) => atHome(path, environment));
  return {
    ...base,
    command: [programNamed(name, environment) ?? first, ...rest],
    writable: folders,
    guarded: preset.settings.map((each) => `${folders[0] ?? ''}/${each}`),
  };
}

/** Prices of models: the built-in table, overridden by the project's. */
export function pricesOf(own: PriceList = new Map()): PriceList {
  return new Map([...builtInPrices, ...own]);
}

/** `MAILROOM_CLAUDE_BIN` and the like select another program than the one on PATH. */
function programOf(kind: ProviderKind, environment: ProviderEnvironment): string[] {
  if (kind === 'replay') return [environment.node, environment.replayAgent];
  return kind === 'command' || kind === 'acp' ? [] : [programNamed(kind, environment) ?? kind];
}

function programNamed(agent: string, { variables }: ProviderEnvironment): string | null {
  const value = variables[`MAILROOM_${agent.toUpperCase()}_BIN`];
  return value === undefined || value === '' ? null : value;
}

/**
 * The user's files that configure MCP servers for each CLI or, for gemini, set variables; absolute.
 */
function settingsOf(kind: ProviderKind, environment: ProviderEnvironment): string[] {
  const named = place(environment);
  switch (kind) {
    case 'claude':
      return [`${named('CLAUDE_CONFIG_DIR', '~')}/.claude.json`];
    case 'codex':
      return [`${named('CODEX_HOME', '~/.codex')}/config.toml`];
    case 'gemini':
      return ['.gemini/.env', '.env'].map((name) => `${named('GEMINI_CLI_HOME', '~')}/${name}`);
    case 'opencode': {
      const folder = `${named('XDG_CONFIG_HOME', '~/.config')}/opencode`;
      const names = ['opencode.json', 'opencode.jsonc'];
      const folders = [folder, atHome('~/.opencode', environment)];
      const files = folders.flatMap((each) => names.map((name) => `${each}/${name}`));
      return [`${folder}/config.json`, ...files];
    }
    case 'pi':
    case 'agy':
    case 'acp':
    case 'replay':
    case 'command':
      return [];
  }
}

/** Resolves a location from its variable, or from the default path. */
function place(environment: ProviderEnvironment): (variable: string, path: string) => string {
  return (variable, path) => {
    const value = ownValue(environment.variables, variable);
    return value === undefined || value === '' ? atHome(path, environment) : value;
  };
}

/** The folders of each CLI for its login, its settings and its conversations. */
function foldersOf(kind: ProviderKind, environment: ProviderEnvironment): string[] {
  const named = place(environment);
  switch (kind) {
    case 'claude':
      return [named('CLAUDE_CONFIG_DIR', '~/.claude')];
    case 'codex':
      return [named('CODEX_HOME', '~/.codex')];
    case 'gemini':
      return [`${named('GEMINI_CLI_HOME', '~')}/.gemini`];
    case 'opencode':
      return [
        `${named('XDG_CONFIG_HOME', '~/.config')}/opencode`,
        `${named('XDG_DATA_HOME', '~/.local/share')}/opencode`,
        `${named('XDG_STATE_HOME', '~/.local/state')}/opencode`,
        `${named('XDG_CACHE_HOME', '~/.cache')}/opencode`,
      ];
    case 'pi':
      return [named('PI_CODING_AGENT_DIR', '~/.pi/agent')];
    case 'agy':
      return [atHome('~/.gemini/antigravity-cli', environment)];
    case 'acp':
    case 'replay':
    case 'command':
      return [];
  }
}

function atHome(path: string, { variables }: ProviderEnvironment): string {
  const home = variables['HOME'] ?? '';
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
}

/**
 * By CLI: the entries in its own folders that decide what it runs and is allowed to do in later
 * runs, also outside a sandbox.
 */
const names: Readonly<Partial<Record<ProviderKind, string>>> = {
  claude:
    'settings.json settings.local.json CLAUDE.md agents commands hooks output-styles plugins rules skills',
  codex: 'config.toml hooks.json AGENTS.md agents hooks plugins prompts rules skills',
  gemini:
    'settings.json .env GEMINI.md trustedFolders.json trusted_hooks.json agents commands extensions hooks policies skills',
  opencode:
    'opencode.json opencode.jsonc config.json AGENTS.md agent agents command commands mode modes plugin plugins skill skills tool tools',
  pi: 'settings.json models.json models-store.json trust.json AGENTS.md SYSTEM.md APPEND_SYSTEM.md bin extensions git npm prompts skills themes',
  agy: 'settings.json hooks.json mcp_config.json plugins skills',
};

/** The settings of a CLI in the first of its folders, absolute. */
function guardedSettings(kind: ProviderKind, [folder = '']: readonly string[]): string[] {
  return (names[kind]?.split(' ') ?? []).map((name) => `${folder}/${name}`);
}
