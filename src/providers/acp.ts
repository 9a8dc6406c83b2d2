import { settingsFiles, settingsFolders } from './agent-settings.ts';
import { acpQuirks, effectsFor, type AcpEffect } from './acp-quirks.ts';
import { acpModes, asksByName } from './acp-modes.ts';
import { presetFor, type AcpPreset } from './acp-presets.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { implausible } from '../kernel/money.ts';
import type { McpServer } from '../kernel/mcp.ts';
import { at, eventsIn, figure, list, paragraphs, string } from './events.ts';
import { interrupted } from './exits.ts';
import { failed } from './failures.ts';
import { networkVariables, silentMs, type ProviderOptions } from './options.ts';
import { because, denied, never, transient } from './outcomes.ts';
import { nothing, sinceSession, together, unknownUsage, usageOf } from './prices.ts';
import { acpObeys } from './repository-settings.ts';
import { runningCommands, type CommandNews } from './running-commands.ts';
import { continued } from './sessions.ts';
import { spending, type Counter } from './spending.ts';
import { namesOf, serversOf } from './tools.ts';
import { streamProvider } from './stream-provider.ts';
import { environment } from './variables.ts';
import type { AskedCall } from '../kernel/asked-call.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Price } from '../kernel/price.ts';
import type { Session, Usage } from '../kernel/cost.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider, Restriction } from './provider.ts';

/** The instructions for bin/acp-agent.mjs, in the turn's folder. */
const turnName = 'acp-turn.json';

/** An agent that speaks the Agent Client Protocol, driven by bin/acp-agent.mjs. */
export function acpProvider(options: ProviderOptions): Provider {
  const preset = presetFor(options.name, options.command[0] ?? null);
  return {
    ...streamProvider(options, {
      restrict: (capabilities, sandboxed = false) => restrict(options.name, capabilities, sandboxed),
      start: (invocation) => start(invocation, options, preset),
      read: (exit, invocation, _, now) => read(exit, invocation, { options, preset, now }),
      said: (events) => paragraphs(spokenTexts(events)),
      isFinal: (event) => (event['type'] === 'result' ? true : null),
      notEnforced: ['variant'],
      idleMs: silentMs,
      obeys: acpObeys(options.name, preset?.obeys ?? null),
    }),
    mcp: 'it connects to the servers of its own settings, and Mailroom cannot choose among them',
    asks: asksByName(options.name, options.command),
  };
}

/** An agent asks for permission when it wants to: only a sandbox restricts the rest. */
function restrict(name: string, capabilities: readonly Capability[], sandboxed: boolean): Restriction {
  const changes = capabilities.some((capability) => capability !== 'READ');
  const asks = `${name} asks for permission as it sees fit`;
  const broaderThanRequested: string[] = [];
  if (capabilities.length === 0) broaderThanRequested.push(`READ: ${name} always reads its workspace`);
  if (!capabilities.includes('RUN_COMMANDS')) {
    if (!sandboxed)
      broaderThanRequested.push(
        `RUN_COMMANDS: ${asks}, and only a sandbox restricts what it does not ask for`,
      );
    else if (changes)
      broaderThanRequested.push(
        `RUN_COMMANDS: ${asks}; a command that it does not ask for runs, and can write its workspace`,
      );
  }
  return { exact: broaderThanRequested.length === 0, broaderThanRequested };
}

function start(invocation: Invocation, options: ProviderOptions, preset: AcpPreset | null): CommandLine {
  const { paths, budget, maxSteps, maxCommandTime, model } = invocation;
  const price = options.price(model);
  return {
    argv: [...options.acpAgent, `${paths.folder}/${turnName}`],
    env: environment(invocation, preset?.quiet),
    inherit: [...(preset?.inherit ?? []), ...networkVariables, ...options.inherit],
    stdin: invocation.prompt,
    files: { [turnName]: `${JSON.stringify(turnOf(invocation, options), null, 2)}\n` },
    writable: options.writable,
    settings: options.guarded,
    programs: [
      ...options.acpAgent,
      ...options.command.filter((word, index) => index === 0 || (index === 1 && word.startsWith('/'))),
    ],
    shuns: acpObeys(options.name, preset?.obeys ?? null).names,
    ...spending({ budget, maxSteps, isStep }, counter(price, invocation.session)),
    ...runningCommands(maxCommandTime, commandNews),
  };
}

function turnOf(invocation: Invocation, options: ProviderOptions): Record<string, unknown> {
  const { workspace, project, session, model, capabilities, owed, mayConfigure, paths, asking } = invocation;
  return {
    command: [...options.command, ...options.arguments],
    workspace,
    session: session?.id ?? null,
    model,
    servers: Object.entries(serversOf(invocation)).map(([name, server]) => definition(name, server)),
    policy: {
      capabilities,
      workspace,
      outbox: paths.outbox,
      owed,
      readable: [project, paths.folder],
      tests: options.tests,
      servers: namesOf(invocation),
      settings: { folders: settingsFolders, files: settingsFiles },
      mayConfigure,
    },
    asking,
    modes: acpModes.map(({ agent, mode, options: settings }) => ({ agent, mode, options: settings })),
    quirks: acpQuirks.map(({ agent, from, before, effect }) => ({ agent, from, before, effect })),
  };
}

function definition(name: string, server: McpServer): Record<string, unknown> {
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([key, value]) => ({ name: key, value }));
  if ('url' in server) return { type: 'http', name, url: server.url, headers: pairs(server.headers) };
  return { name, command: server.command, args: server.args, env: pairs(server.env) };
}

/** The use of a tool is the closest to a step in the protocol. */
function isStep(event: JsonObject): boolean {
  return event['type'] === 'tool';
}

function commandNews(event: JsonObject): CommandNews | null {
  const id = string(event['id']);
  if (id === null) return null;
  if (event['type'] === 'tool' && event['kind'] === 'execute') return { id, is: 'running' };
  const isOver = event['status'] === 'completed' || event['status'] === 'failed';
  return event['type'] === 'tool_update' && isOver ? { id, is: 'over' } : null;
}

interface Reading {
  readonly options: ProviderOptions;
  readonly preset: AcpPreset | null;
  readonly now: number;
}

function read(exit: Exit, invocation: Invocation, reading: Reading): Outcome {
  const events = eventsIn(exit.stdout);
  const { options, now } = reading;
  const usage = usageIn(events, options.price(invocation.model), invocation.session);
  const stopped = interrupted(exit, options.name);
  if (stopped !== null) return { ...stopped, usage };
  const result = events.findLast((event) => event['type'] === 'result');
  if (result === undefined)
    return transient(because(`${options.name} ended without a result`, exit.stderr), usage);
  if (at(result, 'error', 'kind') !== undefined) return unsuccessful(exit, result, reading, usage);
  const stop = string(result['stop']);
  const text = finalText(events);
  const opened = events.find((event) => event['type'] === 'session');
  const session =
    opened?.['resumable'] === true ? continued(string(opened['id']), usage, invocation.session) : null;
  const { model } = invocation;
  if (stop === 'asked' && session !== null)
    return { is: 'done', text, session, usage, model, denials: deniedIn(events), asks: askedIn(events) };
  if (stop !== 'end_turn' || exit.code !== 0)
    return transient(`${options.name} ended its turn with "${stop ?? 'no reason'}"`, usage);
  const login = loginOf(options, reading.preset);
  if (effectOf(events).error_is_text && text.startsWith('Error: '))
    return failed({ program: options.name, status: null, text, stderr: '', usage, login }, now);
  return { is: 'done', text, session, usage, model, denials: deniedIn(events) };
}

function deniedIn(events: readonly JsonObject[]): string[] {
  return events
    .filter((event) => event['type'] === 'denied')
    .map((event) => denied(string(event['tool']) ?? 'a tool', string(event['detail'])));
}

/** What bin/acp-agent.mjs says that a person is to decide. */
function askedIn(events: readonly JsonObject[]): AskedCall[] {
  return events.filter((event) => event['type'] === 'asked').map(askedCall);
}

/** A call that a person is to decide, as a program says it. */
export function askedCall(said: JsonObject): AskedCall {
  return {
    key: string(said['key']) ?? '',
    title: string(said['title']) ?? '',
    kind: string(said['kind']),
    command: string(said['command']),
    paths: list(said['paths']).flatMap((path) => string(path) ?? []),
    input: string(said['input']),
  };
}

function unsuccessful(exit: Exit, result: JsonObject, reading: Reading, usage: Usage): Outcome {
  const { options, preset, now } = reading;
  const { name } = options;
  const message = string(at(result, 'error', 'message')) ?? '';
  const login = loginOf(options, preset);
  switch (at(result, 'error', 'kind')) {
    case 'missing': {
      const advice =
        preset === null ? '`mailroom doctor` looks for agent programs' : `install it: ${preset.install}`;
      return never(`command not found: ${message}; ${advice}`, usage);
    }
    case 'version':
      return never(
        `${name} speaks version ${message} of the Agent Client Protocol, and Mailroom speaks version 1, the stable one`,
        usage,
      );
    case 'login':
      return never(because(`${name} is not logged in; ${login}`, message), usage, 'E_LOGIN');
    case 'session':
      return transient(
        because(`${name} does not know the conversation any more`, message),
        usage,
        'E_SESSION',
      );
    case 'model':
      return never(
        `${name} cannot be given the model of its role: it offers ${message || 'no choice'}`,
        usage,
      );
    case 'mode':
      return never(
        `${name} is not in the mode in which it asks for permission, so it gets no work: ${message}`,
        usage,
      );
    case 'servers':
      return never(because(`${name} cannot be given its MCP servers`, message), usage);
    case 'silent':
    case 'ended':
      return transient(because(`${name} failed: ${message}`, exit.stderr), usage);
    default:
      return failed({ program: name, status: null, text: message, stderr: exit.stderr, usage, login }, now);
  }
}

/** How a person logs in, as part of a sentence. */
function loginOf({ command, name }: ProviderOptions, preset: AcpPreset | null): string {
  return preset?.login ?? `log in with ${command[0] ?? name} once`;
}

/**
 * Only what is known of an agent to be true is counted. A launch whose prompt was never sent, or
 * was refused before any work, has used nothing.
 */
function usageIn(events: readonly JsonObject[], price: Price | null, session: Session | null): Usage {
  const isOf = (type: string) => (event: JsonObject) => event['type'] === type;
  const worked = events.some((event) => isOneOf(event, 'answer', 'text', 'tool', 'usage'));
  const failure = at(events.findLast(isOf('result')), 'error', 'kind');
  const isRefused = failure !== undefined && failure !== 'ended';
  if (!worked && (isRefused || !events.some(isOf('session')))) return nothing;
  const effect = effectOf(events);
  const answers = effect.tokens ? events.filter(isOf('answer')) : [];
  const told = effect.tokens_by_prompt ? answers : answers.slice(-1);
  const usages = told.map((answer) => usageBy(at(answer, 'usage'), effect, price));
  const counted = usages.length === 0 ? unknownUsage : together(usages);
  const spent = effect.usd ? events.findLast((event) => costOf(event) !== null) : undefined;
  if (spent === undefined) return counted;
  return { ...counted, usd: sinceSession({ usd: costOf(spent), tokens: null }, session).usd };
}

function isOneOf(event: JsonObject, ...types: readonly string[]): boolean {
  return types.includes(string(event['type']) ?? '');
}

function costOf(event: JsonObject): number | null {
  return at(event, 'cost', 'currency') === 'USD' ? figure(at(event, 'cost', 'amount')) : null;
}

function usageBy(usage: Json | undefined, effect: AcpEffect, price: Price | null): Usage {
  const part = (name: string) => figure(at(usage, name)) ?? 0;
  const total = figure(at(usage, 'totalTokens'));
  if (total === null) return unknownUsage;
  const cached = part('cachedReadTokens');
  const written = part('cachedWriteTokens');
  const input = part('inputTokens') - (effect.input_includes_cached ? cached : 0);
  const output = part('outputTokens') + (effect.output_includes_thoughts ? 0 : part('thoughtTokens'));
  const counted = usageOf({ input, cached, written, output, usd: null }, price);
  return implausible(counted, null) === null ? { ...counted, tokens: total } : counted;
}

function effectOf(events: readonly JsonObject[]): AcpEffect {
  const agent = events.find((event) => event['type'] === 'agent');
  return effectsFor(string(agent?.['name']), string(agent?.['version']));
}

function counter(price: Price | null, session: Session | null): Counter {
  const counted: JsonObject[] = [];
  return {
    add: (event) => void (isOneOf(event, 'agent', 'session', 'usage', 'answer') && counted.push(event)),
    get usage() {
      return usageIn(counted, price, session);
    },
  };
}

/** The agent's texts between uses of tools; each arrives in pieces. */
function spokenTexts(events: readonly JsonObject[]): string[] {
  const found = [''];
  for (const event of events) {
    if (event['type'] === 'text') found.push((found.pop() ?? '') + (string(event['text']) ?? ''));
    else if (isOneOf(event, 'tool', 'denied', 'continued')) found.push('');
  }
  return found;
}

/** The agent's text after its last use of a tool. */
function finalText(events: readonly JsonObject[]): string {
  return spokenTexts(events).at(-1) ?? '';
}
