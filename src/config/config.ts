import type { Price, PriceList } from '../kernel/price.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Budget } from '../kernel/cost.ts';

/** The adapters that a named provider can be set up for; `command` is any program. */
export const providerKinds = ['claude', 'codex', 'gemini', 'opencode', 'replay', 'command'] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** The providers that every project has: `command` needs a program and is not among them, `human` has no process. */
export const builtInProviders = ['claude', 'codex', 'gemini', 'opencode', 'replay', 'human'] as const;

/** One provider of mailroom.yaml. */
export interface ProviderConfig {
  readonly name: string;
  readonly kind: ProviderKind;
  /** The program and its first arguments; null: the adapter's own. Never null for the kind `command`. */
  readonly command: readonly string[] | null;
  /** Arguments that come after those of the adapter. */
  readonly arguments: readonly string[];
  /** Names (or `PREFIX_*`) that are taken over from the host's environment. */
  readonly env: readonly string[];
  /** Absolute or home paths that the program must be able to write besides workspace and staging folder. */
  readonly writable: readonly string[];
  /** Command lines that the right RUN_TESTS allows, by their first words; null: the usual ones. */
  readonly tests: readonly string[] | null;
  /** Of whatever model it uses, for programs that report tokens and no cost; null: that of its model. */
  readonly prices: Price | null;
}

/** What holds for every role that does not say otherwise. Null is "not said". */
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
  /** What shims of providers get of the orchestrate language; no matter of roles. */
  readonly maxTokens: number | null;
}

/** Limits as one file gives them: null is "not said", and the next file or the default decides. */
export interface GivenLimits {
  readonly turnsPerThread: number | null;
  readonly corrections: number | null;
  readonly nesting: number | null;
  readonly threadBudget: Budget;
  readonly dayBudget: Budget;
}

/** Project-wide settings: what mailroom.yaml says, and what holds without it. */
export interface Config {
  /** Prices of models, over those of the built-in table. */
  readonly prices: PriceList;
  readonly providers: ReadonlyMap<string, ProviderConfig>;
  readonly defaults: RoleDefaults;
  /** The branch that the trail is written to; null: no trail. */
  readonly trail: { readonly branch: string } | null;
  readonly sandbox: 'auto' | 'required' | 'off';
  /** What becomes of a right that a provider can only widen: a warning, or an error. */
  readonly capabilities: 'widen' | 'strict';
  readonly limits: GivenLimits;
  /** Processes of one host at once; null: the number of cores. */
  readonly concurrency: number | null;
  /** Where webhooks are heard, on the loopback interface; 0: wherever there is room. */
  readonly webhookPort: number;
  /** The command that is run when `user` gets mail, or that hooks run for `<scheme>:` targets. */
  readonly notify: Readonly<Record<string, readonly string[]>>;
  /** Whether turns of agent CLIs get Mailroom's own tools. */
  readonly mcp: boolean;
  readonly nip: NipSettings;
}

/** What holds for workflows of the language nip. */
export interface NipSettings {
  readonly enabled: boolean;
  readonly maxSteps: number;
  readonly maxConcurrentWorkflows: number;
  /** Milliseconds that a run may take. */
  readonly defaultTimeout: number;
  /** Whether a run that has spent more than its budget ends. */
  readonly budgetEnforcement: boolean;
  /** Thousandths of a satoshi for a dollar; null: what a role costs in dollars is not known in them. */
  readonly msatsPerUsd: number | null;
  /** The most that a request of somebody else may ask for, in msats; null: whatever it says. */
  readonly maxBudget: number | null;
  /** Where events are sent, and where requests come from; none: nothing is connected to. */
  readonly relays: readonly string[];
  /** The public keys of those whose requests from relays are followed. */
  readonly requesters: readonly string[];
  /** Whether definitions are sent to the relays as well. */
  readonly publishDefinitions: boolean;
}

export const defaultNip: NipSettings = {
  enabled: true,
  maxSteps: 20,
  maxConcurrentWorkflows: 5,
  defaultTimeout: 300_000,
  budgetEnforcement: true,
  msatsPerUsd: null,
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
  trail: { branch: 'mailroom-trail' },
  sandbox: 'auto',
  capabilities: 'widen',
  limits: {
    turnsPerThread: null,
    corrections: null,
    nesting: null,
    threadBudget: { usd: null, tokens: null },
    dayBudget: { usd: null, tokens: null },
  },
  concurrency: null,
  webhookPort: 6245,
  notify: {},
  mcp: true,
  nip: defaultNip,
};

/** The same project with a recording in the place of every provider but people. */
export function replaying(config: Config): Config {
  const nothing = { command: null, arguments: [], env: [], writable: [], tests: null, prices: null };
  const names = providerNames(config).filter((name) => name !== 'human');
  return { ...config, providers: new Map(names.map((name) => [name, { ...nothing, name, kind: 'replay' }])) };
}

/** Every name that a role may give as its provider. */
export function providerNames(config: Config): string[] {
  return [...new Set([...builtInProviders, ...config.providers.keys()])];
}

const agentKinds: readonly string[] = ['claude', 'codex', 'gemini', 'opencode'] satisfies ProviderKind[];

/** What stands behind the name of a provider. */
export function kindOf(config: Config, provider: string): string {
  return config.providers.get(provider)?.kind ?? provider;
}

/** True for an agent's program; false for one that the project's author wrote, and for what a recording replays. */
export function isAgentProvider(config: Config, provider: string): boolean {
  return agentKinds.includes(kindOf(config, provider));
}
