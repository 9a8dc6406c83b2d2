import { settingsFiles, settingsFolders } from './agent-settings.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { McpServer } from '../kernel/mcp.ts';
import type { Reading } from './reading.ts';
import type { Price } from '../kernel/price.ts';
import { amount, at, eventsIn, figure, paragraphs, string } from './events.ts';
import { interrupted } from './exits.ts';
import { failed } from './failures.ts';
import { networkVariables, silentMs, type ProviderOptions } from './options.ts';
import { denied } from './outcomes.ts';
import { callsOf, nothing, together, unknownUsage, usageOf, type Count } from './prices.ts';
import { continued } from './sessions.ts';
import { spending, type Counter } from './spending.ts';
import { jsonSettings, missingServers, serversIn } from './own-settings.ts';
import { opencodeObeys } from './repository-settings.ts';
import { instructionFiles, withInstructions } from './repository-words.ts';
import { namesOf, ownOf, serversOf } from './tools.ts';
import { streamProvider } from './stream-provider.ts';
import { environment } from './variables.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Usage } from '../kernel/cost.ts';
import { ownValue, setOwn } from '../kernel/own.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider, Restriction } from './provider.ts';

const login = 'run `opencode auth login` once, or set the key of its provider';

const inherited = [
  'OPENCODE_API_KEY',
  'OPENCODE_CONFIG',
  'OPENCODE_CONFIG_DIR',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'XDG_*',
];

/**
 * opencode, driven by `opencode run --format json`. It has no final event: the last step must
 * report that it stopped.
 */
export function opencodeProvider(options: ProviderOptions): Provider {
  return streamProvider(options, {
    restrict,
    start,
    read,
    said,
    calls: (events) => callsOf(stepsIn(events)),
    isFinal,
    notEnforced: ['max_command_time'],
    obeys: opencodeObeys,
    idleMs: silentMs,
  });
}

function restrict(capabilities: readonly Capability[]): Restriction {
  const broaderThanRequested = capabilities.length === 0 ? ['READ: opencode always reads its workspace'] : [];
  return { exact: broaderThanRequested.length === 0, broaderThanRequested };
}

/** The agent of every turn: the user's settings for other agents do not change its permissions. */
const agent = 'mailroom';

function start(invocation: Invocation, options: ProviderOptions): CommandLine {
  const { model, variant, session, role, turn, capabilities, budget } = invocation;
  return {
    argv: [
      options.command,
      ['run', '--pure', '--format', 'json', '--agent', agent],
      // Without a title it asks the model for one.
      ['--title', `${role} ${turn}`],
      model === null ? [] : ['-m', model],
      variant === null ? [] : ['--variant', variant],
      session === null ? [] : ['-s', session.id],
      options.arguments,
    ].flat(),
    env: environment(invocation, {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      // It would install its own packages on a fresh machine; an agent's own `npm install` must
      // still work.
      ...(capabilities.includes('RUN_COMMANDS') ? {} : { npm_config_offline: 'true' }),
      // No settings of the repository: they could name another server, programs and permissions.
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_CONFIG_CONTENT: content(invocation, options, []),
    }),
    inherit: [...inherited, ...networkVariables, ...options.inherit],
    stdin: invocation.prompt,
    files: {},
    writable: options.writable,
    settings: options.guarded,
    shuns: opencodeObeys.names,
    reading: reading(invocation, options),
    ...spending({ budget, maxSteps: invocation.maxSteps, isStep }, counter(options.price(model))),
  };
}

/** `unused`: the user's own servers that this role does not get. */
function content(
  invocation: Invocation,
  { tests, systemPrompt }: ProviderOptions,
  unused: readonly string[],
): string {
  const permission = permissions(invocation, tests);
  const ours = Object.entries(serversOf(invocation)).map(([name, server]) => [name, definition(server)]);
  const off = unused.map((name) => [name, { enabled: false }]);
  const mcp = Object.fromEntries([...off, ...ours]) as Record<string, unknown>;
  return JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    permission,
    agent: {
      [agent]: { mode: 'primary', permission, ...(systemPrompt !== undefined && { prompt: systemPrompt }) },
    },
    ...(Object.keys(mcp).length === 0 ? {} : { mcp }),
  });
}

/**
 * The instruction files of a repository, which opencode does not read without the repository's
 * settings.
 */
const instructions = ['AGENTS.md', 'CLAUDE.md'];

function reading(invocation: Invocation, options: ProviderOptions): Reading {
  const words = instructionFiles(invocation, instructions);
  const paths = [...options.settings, ...named(invocation, options)];
  return {
    files: [...words, ...paths.map((path) => ({ path, within: null }))],
    apply: (texts) => {
      const own = texts.slice(words.length);
      const theirs = paths.flatMap((path, index) =>
        Object.keys(serversIn(jsonSettings('opencode', path, own[index] ?? null), 'mcp')),
      );
      const missing = ownOf(invocation).filter((name) => !theirs.includes(name));
      if (missing.length > 0) throw missingServers('opencode', missing, paths.join(', '));
      const unused = theirs.filter((name) => !namesOf(invocation).includes(name));
      return {
        stdin: withInstructions(invocation, instructions, texts.slice(0, words.length)),
        env: { OPENCODE_CONFIG_CONTENT: content(invocation, options, unused) },
      };
    },
  };
}

/** Settings files that variables of the user or of the role name. */
function named({ env }: Invocation, { environment: host }: ProviderOptions): string[] {
  const value = (name: string) => ownValue(env, name) ?? ownValue(host, name) ?? '';
  const [file, folder] = [value('OPENCODE_CONFIG'), value('OPENCODE_CONFIG_DIR')];
  const inFolder = ['opencode.json', 'opencode.jsonc'].map((name) => `${folder}/${name}`);
  return [...(file === '' ? [] : [file]), ...(folder === '' ? [] : inFolder)];
}

/** A step that calls tools is followed by another one, unless it reports something else. */
function isFinal(event: JsonObject): boolean | null {
  const { type } = event;
  if (type === 'error') return true;
  if (type === 'step_start' || type === 'tool_use') return false;
  const reason = type === 'step_finish' ? string(at(event, 'part', 'reason')) : null;
  return reason === null ? null : reason !== 'tool-calls' && reason !== 'unknown';
}

function isStep(event: JsonObject): boolean {
  return event['type'] === 'step_finish';
}

/**
 * Rules; the last match counts. `ask` would end the turn, so every rule allows or denies. Paths of
 * `edit` are relative to the git root, wherever that is, so the staging folder is matched by its
 * last parts.
 */
function permissions(invocation: Invocation, tests: readonly string[]): Record<string, unknown> {
  const { capabilities, paths, owed, workspace } = invocation;
  const edits = capabilities.includes('EDIT');
  const commands = capabilities.includes('RUN_COMMANDS');
  const staging = `*/${paths.outbox.split('/').slice(-4).join('/')}/*`;
  // The workspace can be a folder below the git root.
  const own = owed
    .map((path) => path.slice(workspace.length + 1))
    .flatMap((path) => [path, `*/${path}`].flatMap((name) => [name, `${name}/*`]));
  const allowed = Object.fromEntries([staging, ...own].map((pattern) => [pattern, 'allow']));
  const shell: Record<string, string> = { '*': 'deny' };
  for (const test of capabilities.includes('RUN_TESTS') ? tests : []) {
    setOwn(shell, test, 'allow');
    shell[`${test} *`] = 'allow';
  }
  // A redirection is part of the command before it, and writes.
  if (!edits) shell['*>*'] = 'deny';
  const looking = ['list', 'glob', 'grep', 'todowrite', 'todoread'];
  const servers = namesOf(invocation).map((name) => `${name}_*`);
  return {
    '*': 'deny',
    ...Object.fromEntries([...looking, ...servers].map((tool) => [tool, 'allow'])),
    read: { '*': 'allow', '*.env': 'deny', '*.env.*': 'deny', '*.env.example': 'allow' },
    edit: edits || commands ? { '*': 'allow', ...settingsRules(invocation) } : { '*': 'deny', ...allowed },
    bash: commands ? 'allow' : shell,
    webfetch: commands ? 'allow' : 'deny',
    task: commands ? 'allow' : 'deny',
    question: 'deny',
    doom_loop: 'deny',
    external_directory: commands ? 'allow' : { '*': 'deny', [`${paths.folder}/*`]: 'allow' },
  };
}

/** Files that configure agents in the workspace, at any depth below its git root. */
function settingsRules({ workspace, mayConfigure }: Invocation): Record<string, string> {
  if (mayConfigure) return {};
  const folder = workspace.slice(workspace.lastIndexOf('/') + 1);
  const patterns = [...settingsFolders.map((name) => `${name}/*`), ...settingsFiles].flatMap((name) => [
    name,
    `${folder}/${name}`,
    `*/${folder}/${name}`,
  ]);
  return Object.fromEntries(patterns.map((pattern) => [pattern, 'deny']));
}

function definition(server: McpServer): Record<string, unknown> {
  if ('url' in server) return { type: 'remote', ...server, enabled: true };
  const { command, args, env } = server;
  return { type: 'local', command: [command, ...args], environment: env, enabled: true };
}

function read(exit: Exit, invocation: Invocation, options: ProviderOptions, now: number): Outcome {
  const events = eventsIn(exit.stdout);
  const usage = usageIn(events, options.price(invocation.model));
  const stopped = interrupted(exit, options.name);
  if (stopped !== null) return { ...stopped, usage };
  const final = events.findLast((event) => event['type'] === 'step_finish' || event['type'] === 'error');
  const denials = denialsOf(events);
  if (final?.['type'] !== 'step_finish' || at(final, 'part', 'reason') !== 'stop' || exit.code !== 0) {
    const failure = { program: options.name, usage, login, stderr: exit.stderr };
    return failed({ ...failure, ...complaint(final, denials) }, now);
  }
  return {
    is: 'done',
    text: finalText(events),
    session: continued(string(final['sessionID']), usage, invocation.session),
    usage,
    model: invocation.model,
    denials,
  };
}

function complaint(
  final: JsonObject | undefined,
  denials: readonly string[],
): { status: number | null; text: string } {
  const reason = string(at(final, 'part', 'reason'));
  if (reason !== null && reason !== 'stop') {
    const refused = denials.length === 0 ? '' : `, after a refusal of ${denials.join(', ')}`;
    return { status: null, text: `its last step ended with "${reason}"${refused}` };
  }
  const data = at(final, 'error', 'data');
  const retryAfter = string(at(data, 'responseHeaders', 'retry-after'));
  const message = string(at(data, 'message')) ?? string(at(final, 'error', 'name')) ?? '';
  return {
    status: amount(at(data, 'statusCode')),
    text: retryAfter === null ? message : `${message} (retry-after: ${retryAfter})`,
  };
}

/**
 * The sum over all steps of this run. A cost of 0 for used tokens means that opencode has no price
 * for the model.
 */
function usageIn(events: readonly JsonObject[], price: Price | null): Usage {
  const steps = stepsIn(events);
  // An error before its first step is an answer of the model's server that is none.
  if (steps.length === 0) return isRefused(events) ? nothing : unknownUsage;
  const usd = steps.reduce((sum, step) => sum + step.usd, 0);
  const { usd: priced, tokens } = together(steps.map((step) => usageOf({ ...step, usd: null }, price)));
  return { usd: usd === 0 && tokens !== 0 ? priced : usd, tokens };
}

function stepsIn(events: readonly JsonObject[]): (Count & { readonly usd: number })[] {
  return events.filter((event) => event['type'] === 'step_finish').map(countOf);
}

function isRefused(events: readonly JsonObject[]): boolean {
  return events.at(-1)?.['type'] === 'error' && !events.some((event) => event['type'] === 'step_start');
}

/** One step is one request. */
function countOf(step: JsonObject): Count & { readonly usd: number } {
  const part = (...path: readonly string[]) => figure(at(step, 'part', ...path)) ?? 0;
  return {
    input: part('tokens', 'input'),
    cached: part('tokens', 'cache', 'read'),
    written: part('tokens', 'cache', 'write'),
    output: part('tokens', 'output') + part('tokens', 'reasoning'),
    usd: part('cost'),
  };
}

function counter(price: Price | null): Counter {
  const steps: JsonObject[] = [];
  return {
    add: (event) => void (event['type'] === 'step_finish' && steps.push(event)),
    get usage() {
      return usageIn(steps, price);
    },
  };
}

function spokenTexts(events: readonly JsonObject[]): string[] {
  return events
    .filter((event) => event['type'] === 'text')
    .map((event) => string(at(event, 'part', 'text')) ?? '');
}

/** The texts of the last step. */
function finalText(events: readonly JsonObject[]): string {
  const lastStep = events.findLastIndex((event) => event['type'] === 'step_start');
  return spokenTexts(events.slice(lastStep + 1)).join('\n');
}

/** All texts of the agent. */
function said(events: readonly JsonObject[]): string {
  return paragraphs(spokenTexts(events));
}

const refusedUse = /rule which prevents you|rejected permission|permission denied by/i;

function denialsOf(events: readonly JsonObject[]): string[] {
  return events
    .filter((event) => event['type'] === 'tool_use' && at(event, 'part', 'state', 'status') === 'error')
    .filter((event) => refusedUse.test(string(at(event, 'part', 'state', 'error')) ?? ''))
    .map((event) => {
      const input = at(event, 'part', 'state', 'input');
      const detail = at(input, 'filePath') ?? at(input, 'command');
      return denied(string(at(event, 'part', 'tool')) ?? 'a tool', string(detail));
    });
}
