import type { JsonObject } from '../kernel/json.ts';
import type { McpServer } from '../kernel/mcp.ts';
import type { Reading } from './reading.ts';
import type { TokenCount } from '../kernel/price.ts';
import { at, eventsIn, figure, paragraphs, string } from './events.ts';
import { interrupted } from './exits.ts';
import { failed } from './failures.ts';
import { networkVariables, type ProviderOptions } from './options.ts';
import { denied } from './outcomes.ts';
import { nothing, pricedSinceSession, unknownUsage } from './prices.ts';
import { runningCommands, type CommandNews } from './running-commands.ts';
import { failedIn, settle } from './sessions.ts';
import { spending } from './spending.ts';
import { missingServers, serversIn, tomlSettings } from './own-settings.ts';
import { namesOf, ownOf, serversOf } from './tools.ts';
import { streamProvider } from './stream-provider.ts';
import { environment } from './variables.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider, Restriction } from './provider.ts';

const login = 'run `codex login` once, or set CODEX_API_KEY';

/**
 * No telemetry, no update check, no downloads. Codex has no switch against retries of its own
 * provider.
 */
const quiet = [
  ['-c', 'analytics.enabled=false'],
  ['-c', 'check_for_update_on_startup=false'],
  ['--disable', 'plugins'],
  ['--disable', 'apps'],
].flat();

const inherited = ['CODEX_HOME', 'CODEX_API_KEY', 'CODEX_CA_CERTIFICATE', 'OPENAI_API_KEY'];

/** Codex, driven by `codex exec --json`. */
export function codexProvider(options: ProviderOptions): Provider {
  return streamProvider(options, { restrict, start, read, said, isFinal });
}

/**
 * Codex has a shell, which writes nothing beyond what is owed, or the whole workspace. Nothing in
 * between lets it edit or test.
 */
function restrict(capabilities: readonly Capability[]): Restriction {
  const edits = capabilities.includes('EDIT');
  const commands = capabilities.includes('RUN_COMMANDS');
  const tests = capabilities.includes('RUN_TESTS');
  const broaderThanRequested: string[] = [];
  if (capabilities.length === 0) broaderThanRequested.push('READ: codex always reads its workspace');
  if (!commands && (edits || tests)) {
    broaderThanRequested.push(
      'RUN_COMMANDS: codex cannot edit or test without a shell; it runs any command, in the workspace, without network',
    );
  }
  if (!commands && tests && !edits) {
    broaderThanRequested.push('EDIT: what codex runs in order to test may write the workspace');
  }
  return { exact: broaderThanRequested.length === 0, broaderThanRequested };
}

function isFinal({ type }: JsonObject): boolean | null {
  if (type === 'turn.completed' || type === 'turn.failed') return true;
  return type === 'turn.started' || string(type)?.startsWith('item.') === true ? false : null;
}

function start(invocation: Invocation, options: ProviderOptions): CommandLine {
  return {
    argv: commandLine(invocation, options, []),
    env: environment(invocation),
    inherit: [...inherited, ...networkVariables, ...options.inherit],
    stdin: invocation.prompt,
    files: {},
    writable: options.writable,
    settings: options.guarded,
    reading: reading(invocation, options),
    ...spending({ budget: null, maxSteps: invocation.maxSteps, isStep }, uncounted),
    ...runningCommands(invocation.maxCommandTime, commandNews),
  };
}

/** `own`: settings for the user's own servers. */
function commandLine(invocation: Invocation, options: ProviderOptions, own: readonly string[]): string[] {
  const { model, variant, session, workspace } = invocation;
  return [
    ...options.command,
    'exec',
    '--json',
    '--skip-git-repo-check',
    ...sandbox(invocation),
    ...(model === null ? [] : ['-m', model]),
    ...(variant === null ? [] : ['-c', `model_reasoning_effort=${JSON.stringify(variant)}`]),
    ...quiet,
    // Also where the user has marked a folder as trusted: then its `.codex` would count.
    '-c',
    `projects={${foldersAbove(workspace).map(untrusted).join(',')}}`,
    ...own,
    ...serverSettings(invocation),
    ...options.arguments,
    // A resumed conversation uses the sandbox named before `resume`, not its original one.
    ...(session === null ? [] : ['resume', session.id]),
    '-',
  ];
}

/** A folder and all its parents. */
function foldersAbove(folder: string): string[] {
  const above = folder.slice(0, folder.lastIndexOf('/'));
  return folder === '' ? ['/'] : [folder, ...foldersAbove(above)];
}

function untrusted(folder: string): string {
  return `${JSON.stringify(folder)}={trust_level="untrusted"}`;
}

/**
 * Codex's settings name servers that a role does not get: each is switched off separately, since no
 * switch covers all of them.
 */
function reading(invocation: Invocation, options: ProviderOptions): Reading {
  const [path = ''] = options.settings;
  return {
    files: [{ path, within: null }],
    apply: ([text = null]) => {
      const theirs = Object.keys(serversIn(tomlSettings('codex', path, text), 'mcp_servers'));
      const used = ownOf(invocation);
      const missing = used.filter((name) => !theirs.includes(name));
      if (missing.length > 0) throw missingServers('codex', missing, path);
      const others = theirs.filter((name) => !namesOf(invocation).includes(name));
      const settings = [
        ...others.map((name) => `${name}.enabled=false`),
        // Otherwise codex would ask for approval, and a turn has no one to answer.
        ...used.map((name) => `${name}.default_tools_approval_mode="approve"`),
      ];
      const own = settings.flatMap((setting) => ['-c', `mcp_servers.${setting}`]);
      return { argv: commandLine(invocation, options, own) };
    },
  };
}

/** TOML, whose basic strings, lists and inline tables are close enough to JSON. */
function serverSettings(invocation: Invocation): string[] {
  return Object.entries(serversOf(invocation)).flatMap(([name, server]) =>
    [
      ...definition(server),
      'default_tools_approval_mode="approve"',
      // Otherwise codex would start without waiting for them, and a turn is short.
      'required=true',
    ].flatMap((setting) => ['-c', `mcp_servers.${name}.${setting}`]),
  );
}

function definition(server: McpServer): string[] {
  if ('url' in server) return [`url=${JSON.stringify(server.url)}`, `http_headers=${table(server.headers)}`];
  const { command, args, env } = server;
  return [`command=${JSON.stringify(command)}`, `args=${JSON.stringify(args)}`, `env=${table(env)}`];
}

function table(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(
    ([name, value]) => `${JSON.stringify(name)}=${JSON.stringify(value)}`,
  );
  return `{${pairs.join(',')}}`;
}

/** Codex reports usage only at its end. */
const uncounted = { add() {}, usage: unknownUsage };

/** The use of a tool is the closest to a step in codex's events. */
function isStep(event: JsonObject): boolean {
  const kind = at(event, 'item', 'type');
  return event['type'] === 'item.completed' && (kind === 'command_execution' || kind === 'file_change');
}

function commandNews(event: JsonObject): CommandNews | null {
  const id = string(at(event, 'item', 'id'));
  if (id === null || at(event, 'item', 'type') !== 'command_execution') return null;
  return { id, is: event['type'] === 'item.completed' ? 'over' : 'running' };
}

/** A name that a profile in the user's settings hardly has: codex would merge the two. */
const profile = 'mailroom_turn';

/** With READ alone only a profile of permissions makes the staging folder writable. */
function sandbox({ capabilities, paths, owed }: Invocation): string[] {
  if (capabilities.every((capability) => capability === 'READ')) {
    const files = table(Object.fromEntries([paths.outbox, ...owed].map((path) => [path, 'write'])));
    return [
      ['-c', `default_permissions="${profile}"`],
      ['-c', `permissions.${profile}={extends=":read-only",filesystem=${files}}`],
    ].flat();
  }
  return [
    ['-s', 'workspace-write'],
    ['-c', `sandbox_workspace_write.writable_roots=[${JSON.stringify(paths.outbox)}]`],
    // The turn's own TMPDIR stays writable; the machine's /tmp is shared.
    ['-c', 'sandbox_workspace_write.exclude_slash_tmp=true'],
    ['-c', `sandbox_workspace_write.network_access=${capabilities.includes('RUN_COMMANDS')}`],
  ].flat();
}

function read(exit: Exit, invocation: Invocation, options: ProviderOptions, now: number): Outcome {
  const events = eventsIn(exit.stdout);
  // `error` events alone are not failures: codex reports every reconnection as one.
  const final = events.findLast(
    (event) => event['type'] === 'turn.completed' || event['type'] === 'turn.failed',
  );
  const price = options.price(invocation.model);
  const { total, usage: counted } = pricedSinceSession(totalOf(final), price, invocation.session);
  const stopped = interrupted(exit, options.name);
  const usage = stopped === null && isRefused(events, final) ? nothing : counted;
  const session = failedIn(total, usage, invocation.session);
  if (stopped !== null) return { ...stopped, usage, session };
  if (final?.['type'] !== 'turn.completed' || exit.code !== 0) {
    const failure = { program: options.name, status: null, text: complaint(events, final), usage, login };
    return { ...failed({ ...failure, stderr: exit.stderr }, now), session };
  }
  return {
    is: 'done',
    text: finalText(events),
    session: settle(threadOf(events), total, invocation.session),
    usage,
    model: invocation.model,
    denials: denialsOf(events),
  };
}

/** Whether the model refused the turn before any answer, which costs nothing. */
function isRefused(events: readonly JsonObject[], final: JsonObject | undefined): boolean {
  const answered = events.some((event) => string(event['type'])?.startsWith('item.') === true);
  // A connection that broke may have carried a part of an answer.
  return final?.['type'] === 'turn.failed' && !answered && !/disconnected/.test(complaint(events, final));
}

function complaint(events: readonly JsonObject[], final: JsonObject | undefined): string {
  const failure = string(at(final, 'error', 'message'));
  const error = string(events.findLast((event) => event['type'] === 'error')?.['message']);
  return failure ?? error ?? '';
}

/**
 * The conversation's total so far. `input_tokens` includes the cached ones, `output_tokens` the
 * reasoning.
 */
function totalOf(final: JsonObject | undefined): TokenCount | null {
  const input = figure(at(final, 'usage', 'input_tokens'));
  const output = figure(at(final, 'usage', 'output_tokens'));
  if (input === null && output === null) return null;
  const cached = Math.min(input ?? 0, figure(at(final, 'usage', 'cached_input_tokens')) ?? 0);
  return { input: (input ?? 0) - cached, cached, output: output ?? 0 };
}

function items(events: readonly JsonObject[]): JsonObject[] {
  return events.filter((event) => event['type'] === 'item.completed');
}

function agentMessages(events: readonly JsonObject[]): string[] {
  return items(events)
    .filter((event) => at(event, 'item', 'type') === 'agent_message')
    .map((event) => string(at(event, 'item', 'text')) ?? '');
}

function finalText(events: readonly JsonObject[]): string {
  return agentMessages(events).at(-1) ?? '';
}

/** All texts of the agent. */
function said(events: readonly JsonObject[]): string {
  return paragraphs(agentMessages(events));
}

function threadOf(events: readonly JsonObject[]): string | null {
  return string(events.find((event) => event['type'] === 'thread.started')?.['thread_id']);
}

/**
 * The commands that codex reports as declined. A command that failed because of the sandbox cannot
 * be distinguished from any other failure.
 */
function denialsOf(events: readonly JsonObject[]): string[] {
  return items(events)
    .filter((event) => at(event, 'item', 'status') === 'declined')
    .map((event) =>
      denied(string(at(event, 'item', 'type')) ?? 'a tool', string(at(event, 'item', 'command'))),
    );
}
