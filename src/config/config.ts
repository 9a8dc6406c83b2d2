import { unlimited } from '../kernel/money.ts';
import { enumerate } from '../kernel/enumerate.ts';
import { didYouMean } from '../kernel/nearest.ts';
import type { Price, PriceList } from '../kernel/price.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Budget } from '../kernel/cost.ts';
import { trailBranch } from '../kernel/work.ts';
import type { Profile } from './profiles.ts';

/** A command for notifications. `env`: names, or PREFIX_*, of the host's variables that it sees. */
interface Notifier {
  readonly command: readonly string[];
  readonly env: readonly string[];
}

/** The adapters that a named provider can be configured with; `command` runs any program. */
export const providerKinds = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'pi',
  'agy',
  'acp',
  'replay',
  'command',
] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** The agents of the kind `acp` that every project has: their programs are known. */
export const acpAgents = [
  'copilot',
  'cursor',
  'qwen',
  'goose',
  'kimi',
  'kiro',
  'cline',
  'auggie',
  'junie',
  'droid',
  'vibe',
  'openhands',
] as const;
export type AcpAgentName = (typeof acpAgents)[number];

/**
 * The providers that every project has: `command` is not among them, as it needs a program; `human`
 * has no process.
 */
export const builtInProviders = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'pi',
  'agy',
  'replay',
  'human',
] as const;

/** One provider of mailroom.yaml. */
export interface ProviderConfig {
  readonly name: string;
  readonly kind: ProviderKind;
  /**
   * The program and its first arguments; null: the adapter's default. Never null for the kind
   * `command`.
   */
  readonly command: readonly string[] | null;
  /** Arguments appended to those of the adapter. */
  readonly arguments: readonly string[];
  /** Names (or `PREFIX_*`) of variables that are copied from the host's environment. */
  readonly env: readonly string[];
  /**
   * Absolute or home paths that the program must be able to write besides the workspace and the
   * staging folder.
   */
  readonly writable: readonly string[];
  /**
   * Command lines that the permission RUN_TESTS allows, by their first words; null: the default
   * list.
   */
  readonly tests: readonly string[] | null;
  /**
   * Prices for every model of a program that reports tokens and no cost; null: the price of the
   * model.
   */
  readonly prices: Price | null;
  /** Milliseconds that the program may take to exit after its final event; missing: 10 s. */
  readonly exitGrace?: number;
  /** Whether its model gets a short system prompt instead of the program's own; missing: no. */
  readonly systemPrompt?: 'short';
}

/** Defaults for roles. Null is "not set". */
export interface RoleDefaults {
  readonly provider: string | null;
  readonly fallback: readonly string[] | null;
  readonly model: string | null;
  readonly capabilities: readonly Capability[] | null;
  /** Milliseconds. */
  readonly timeout: number | null;
  readonly idleTimeout: number | null;
  readonly concurrency: number | null;
  readonly session: 'thread' | 'fresh' | null;
  readonly retries: number | null;
  readonly budget: Budget | null;
  /** Passed to providers' shims in the orchestrate language; roles do not use it. */
  readonly maxTokens: number | null;
}

/** Limits as one file sets them: null is "not set", and the next file or the default decides. */
export interface LimitSettings {
  readonly turnsPerThread: number | null;
  readonly tasksPerHour: number | null;
  readonly corrections: number | null;
  readonly nesting: number | null;
  readonly threadBudget: Budget;
  readonly dayBudget: Budget;
  /** The share of a budget, above 0 and at most 1, at which `user` is notified; null: never. */
  readonly budgetAlert: number | null;
}

/** Project-wide settings from mailroom.yaml, with defaults for what it does not set. */
export interface Config {
  /** Prices of models, which override the built-in table. */
  readonly prices: PriceList;
  readonly providers: ReadonlyMap<string, ProviderConfig>;
  readonly defaults: RoleDefaults;
  /** Settings of agents by name, of mailroom.yaml and agents.yaml. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** The branch that the trail is written to; null: trail disabled. */
  readonly trail: { readonly branch: string } | null;
  /** Globs of branches that work lands on only once a person has approved it. */
  readonly protected: readonly string[];
  readonly sandbox: 'auto' | 'required' | 'off';
  /**
   * Whether a permission that a provider can only grant more broadly than requested is a warning or
   * an error.
   */
  readonly capabilities: 'widen' | 'strict';
  readonly limits: LimitSettings;
  /** Maximum number of concurrent processes of one host; null: the number of cores. */
  readonly concurrency: number | null;
  /** How much of the past the journals keep, in milliseconds; null: all. */
  readonly keep: number | null;
  /** The port for webhooks, on the loopback interface; 0: any free port. */
  readonly webhookPort: number;
  /** Globs for names of files in an inbox that are messages besides `*.md`. */
  readonly inboxPatterns: readonly string[];
  /** What runs when a person gets mail, by role, or for `<scheme>:` targets of hooks. */
  readonly notify: Readonly<Record<string, Notifier>>;
  /** Whether turns of agent CLIs get Mailroom's MCP tools. */
  readonly mcp: boolean;
  readonly nip: NipSettings;
  /** How roles reach worker hosts; null: every role runs on this host. */
  readonly workers: WorkersSettings | null;
  /** Where people read their mail and answer it besides their inboxes, by name. */
  readonly channels: ReadonlyMap<string, ChannelConfig>;
}

/** What all channels have. */
interface ChannelBasis {
  readonly name: string;
  /** Human roles by who they are on the channel, in lower case. */
  readonly people: ReadonlyMap<string, string>;
  /** Who of `people` may approve there. */
  readonly approvers: readonly string[];
  /** Milliseconds between two looks for answers. */
  readonly poll: number;
  /** The role that gets tasks; null: that of `start` of the protocol. */
  readonly to: string | null;
}

/** Issues and pull requests of a repository. */
export interface GithubChannel extends ChannelBasis {
  readonly kind: 'github';
  /** The variable with the token. */
  readonly secret: string;
  /** `owner/name`. */
  readonly repository: string;
  /** Issues with it are tasks. */
  readonly label: string;
  /** The branch that pull requests are for; null: the default of the repository. */
  readonly base: string | null;
  readonly api: string;
  /** The address that branches are pushed to; null: that of the remote `origin`. */
  readonly git: string | null;
}

/** A mailbox, read by IMAP; people are addresses. */
export interface EmailChannel extends ChannelBasis {
  readonly kind: 'email';
  /** The variable with the password. */
  readonly secret: string;
  /** The address of the mailbox, which mail is from. */
  readonly address: string;
  /** `smtps://host:port`, or `smtp://` with STARTTLS. */
  readonly smtp: string;
  /** `imaps://host:port`, or `imap://` with STARTTLS. */
  readonly imap: string;
  readonly login: string;
  /** The server whose Authentication-Results say who a mail is from. */
  readonly verifiedBy: string;
}

/** A program of the user's own that talks to a service. */
export interface CommandChannel extends ChannelBasis {
  readonly kind: 'command';
  readonly command: readonly string[];
  /** Variables, or `PREFIX_*`, that the program may see besides the usual ones. */
  readonly env: readonly string[];
}

export type ChannelConfig = GithubChannel | EmailChannel | CommandChannel;

/** The queue and the repository that the controller and its worker hosts share. */
export interface WorkersSettings {
  /** The address of the queue, or `${env.NAME}`; null: the variable MAILROOM_QUEUE has it. */
  readonly queue: string | null;
  /** The address of the git repository; null: that of the remote `origin`. */
  readonly git: string | null;
  /** How long a silent worker keeps its turns, in milliseconds. */
  readonly lease: number;
}

/** Settings for workflows of the language nip. */
export interface NipSettings {
  readonly enabled: boolean;
  readonly maxSteps: number;
  readonly maxConcurrentWorkflows: number;
  /** The maximum duration of a run, in milliseconds. */
  readonly defaultTimeout: number;
  /** Whether a run that has exceeded its budget ends. */
  readonly budgetEnforcement: boolean;
  /** Units of the currency per dollar; null: costs in dollars are not converted. */
  readonly unitsPerUsd: number | null;
  /** The maximum budget of another requester's request, in the currency; null: unlimited. */
  readonly maxBudget: number | null;
  /** The relays that events are sent to and requests come from; empty: no connections. */
  readonly relays: readonly string[];
  /** The public keys whose requests from relays are accepted. */
  readonly requesters: readonly string[];
  /** Whether definitions are sent to the relays too. */
  readonly publishDefinitions: boolean;
}

export const defaultNip: NipSettings = {
  enabled: true,
  maxSteps: 20,
  maxConcurrentWorkflows: 5,
  defaultTimeout: 300_000,
  budgetEnforcement: true,
  unitsPerUsd: null,
  maxBudget: null,
  relays: [],
  requesters: [],
  publishDefinitions: true,
};

export const defaultConfig: Config = {
  prices: new Map(),
  providers: new Map(),
  defaults: {
    provider: null,
    fallback: null,
    model: null,
    capabilities: null,
    timeout: null,
    idleTimeout: null,
    concurrency: null,
    session: null,
    retries: null,
    budget: null,
    maxTokens: null,
  },
  profiles: new Map(),
  trail: { branch: trailBranch },
  protected: [],
  sandbox: 'auto',
  capabilities: 'widen',
  limits: {
    turnsPerThread: null,
    tasksPerHour: null,
    corrections: null,
    nesting: null,
    threadBudget: unlimited,
    dayBudget: unlimited,
    budgetAlert: null,
  },
  concurrency: null,
  keep: null,
  webhookPort: 6245,
  inboxPatterns: [],
  notify: {},
  mcp: false,
  nip: defaultNip,
  workers: null,
  channels: new Map(),
};

/** The same project with every provider except people replaced by a recording. */
export function replaying(config: Config): Config {
  const nothing = { command: null, arguments: [], env: [], writable: [], tests: null, prices: null };
  const names = providerNames(config).filter((name) => name !== 'human');
  return { ...config, providers: new Map(names.map((name) => [name, { ...nothing, name, kind: 'replay' }])) };
}

/** Every name that a role may give as its provider. */
export function providerNames(config: Config): string[] {
  return [...new Set([...builtInProviders, ...acpAgents, ...config.providers.keys()])];
}

const agentKinds: readonly string[] = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'acp',
] satisfies ProviderKind[];

/** The kind of the provider with this name. */
export function kindOf(config: Config, provider: string): string {
  return config.providers.get(provider)?.kind ?? (isAcpAgent(provider) ? 'acp' : provider);
}

/** Whether every project has an agent of this name that speaks the Agent Client Protocol. */
export function isAcpAgent(name: string): boolean {
  return (acpAgents as readonly string[]).includes(name);
}

/**
 * True for an agent's program; false for a program of the project's author, and for a replayed
 * recording.
 */
export function isAgentProvider(config: Config, provider: string): boolean {
  return agentKinds.includes(kindOf(config, provider));
}

/** What to write instead of an agent that is not defined. */
export function unknownAgentHint(agent: string, profiles: ReadonlyMap<string, Profile>): string {
  const names = [...profiles.keys()];
  if ((builtInProviders as readonly string[]).includes(agent) || isAcpAgent(agent))
    return `write \`provider: ${agent}\``;
  const all = `there ${names.length === 1 ? 'is' : 'are'} ${enumerate(names)}`;
  const none = 'agents are defined under `agents` in mailroom.yaml or agents.yaml, and there are none';
  return didYouMean(agent, names) ?? (names.length === 0 ? none : all);
}
