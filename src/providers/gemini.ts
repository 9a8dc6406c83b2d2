import { parseEnv } from 'node:util';
import { settingsFiles, settingsFolders } from './agent-settings.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { Reading } from './reading.ts';
import { at, eventsIn, figure, paragraphs, string } from './events.ts';
import { interrupted } from './exits.ts';
import { failed } from './failures.ts';
import { geminiHome, policyName } from './gemini-settings.ts';
import { networkVariables, type ProviderOptions } from './options.ts';
import { because, denied, never } from './outcomes.ts';
import { together, unknownUsage, usageOf } from './prices.ts';
import { runningCommands, type CommandNews } from './running-commands.ts';
import { continued } from './sessions.ts';
import { toolsName } from '../kernel/mcp.ts';
import { namesOf } from './tools.ts';
import { streamProvider } from './stream-provider.ts';
import { environment } from './variables.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Usage } from '../kernel/cost.ts';
import { ownValue } from '../kernel/own.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider, Restriction } from './provider.ts';

const login = 'run `gemini` once and log in, or set GEMINI_API_KEY';

/**
 * gemini exits with the API's status modulo 256; codes that could also be signals are listed here
 * as statuses.
 */
const statuses = new Map(
  [400, 401, 403, 404, 429, 500, 502, 503, 504, 529].map((status) => [status & 255, status]),
);

/** Exit codes that gemini itself defines for errors that a person must fix. */
const refusals = new Map<number, { readonly problem: string; readonly code: ErrorCode }>([
  [41, { problem: `is not logged in; ${login}`, code: 'E_LOGIN' }],
  [44, { problem: 'could not start its sandbox', code: 'E_PROVIDER' }],
  [52, { problem: 'has a configuration that it cannot use', code: 'E_PROVIDER' }],
  [55, { problem: 'does not trust this folder', code: 'E_PROVIDER' }],
]);

const inherited = ['GEMINI_API_KEY', 'GEMINI_CLI_HOME', 'GEMINI_DEFAULT_AUTH_TYPE', 'GOOGLE_*'];

/** Gemini CLI, driven by its stream of JSON events. */
export function geminiProvider(options: ProviderOptions): Provider {
  return streamProvider(options, { restrict, start, read, said, isFinal, notEnforced: ['variant'] });
}

function restrict(capabilities: readonly Capability[]): Restriction {
  const broaderThanRequested = capabilities.length === 0 ? ['READ: gemini always reads its workspace'] : [];
  return { exact: broaderThanRequested.length === 0, broaderThanRequested };
}

function start(invocation: Invocation, options: ProviderOptions): CommandLine {
  const { model, session, capabilities } = invocation;
  const mode = capabilities.includes('RUN_COMMANDS')
    ? 'yolo'
    : capabilities.includes('EDIT')
      ? 'auto_edit'
      : 'default';
  const servers = namesOf(invocation);
  return {
    argv: [
      options.command,
      ['-o', 'stream-json'],
      ['--approval-mode', mode],
      // Trust applies after the settings have been read: the repository's settings do not count,
      // and tools work.
      ['--skip-trust'],
      // An extension of the user can add other servers. The list must not be empty.
      ['--allowed-mcp-server-names', (servers.length === 0 ? [toolsName] : servers).join(',')],
      // Without a model it asks a small one which to use; if that fails, it retries for minutes.
      ['-m', model ?? 'pro'],
      session === null ? [] : ['-r', session.id],
      options.arguments,
    ].flat(),
    env: variablesOf(invocation, options, {}),
    inherit: [...inherited, ...networkVariables, ...options.inherit],
    stdin: invocation.prompt,
    files: {
      [policyName]: policy(invocation, options.tests),
      [trustedName]: '{}\n',
      ...(options.systemPrompt !== undefined && { [systemName]: `${options.systemPrompt}\n` }),
    },
    writable: options.writable,
    settings: options.guarded,
    ...runningCommands(invocation.maxCommandTime, commandNews),
    home: geminiHome(invocation),
    reading: reading(invocation, options),
  };
}

function isFinal({ type }: JsonObject): boolean | null {
  if (type === 'result') return true;
  return type === 'message' || type === 'tool_use' || type === 'tool_result' ? false : null;
}

/** The list of trusted folders: empty, so that no folder's settings count. */
const trustedName = 'gemini-trusted-folders.json';
/** What stands in place of its own system prompt. */
const systemName = 'gemini-system.md';

/**
 * The addresses that receive keys and prompts; a file of variables replaces none that is defined.
 */
const servers = ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL'];

/**
 * `own`: variables from the user's file for gemini, which gemini itself does not read without
 * trust.
 */
function variablesOf(
  invocation: Invocation,
  { environment: host, systemPrompt }: ProviderOptions,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const theirs = Object.entries(own).filter(([name]) => ownValue(host, name) === undefined);
  return {
    ...Object.fromEntries(servers.map((name) => [name, ownValue(host, name) ?? ''])),
    ...environment(invocation, {
      ...Object.fromEntries(theirs),
      // A separate process in between would not forward signals.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    GEMINI_CLI_TRUST_WORKSPACE: '',
    GEMINI_CLI_TRUSTED_FOLDERS_PATH: `${invocation.paths.folder}/${trustedName}`,
    ...(systemPrompt !== undefined && { GEMINI_SYSTEM_MD: `${invocation.paths.folder}/${systemName}` }),
  };
}

function reading(invocation: Invocation, options: ProviderOptions): Reading {
  return {
    files: options.settings.map((path) => ({ path, within: null })),
    apply: (texts) => {
      const text = texts.find((each) => each !== null) ?? '';
      const own = Object.entries(parseEnv(text)).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      return { env: variablesOf(invocation, options, Object.fromEntries(own)) };
    },
  };
}

/**
 * Allows beyond the approval mode: files in the staging folder (not below it, not through `..`),
 * required outputs, tests. Denies what the role has no permission for, even where the user's rules
 * or settings allow it.
 */
function policy(invocation: Invocation, tests: readonly string[]): string {
  const { paths, capabilities, owed } = invocation;
  const patterns = [
    String.raw`\x00"file_path":"${inJson(paths.outbox)}/[^"/\\]+"\x00`,
    // Required outputs and paths below them; no name there begins with a dot.
    ...owed.map((path) => String.raw`\x00"file_path":"${inJson(path)}(?:|/(?!\.|[^"]*/\.)[^"\\]+)"\x00`),
  ];
  const files = '["write_file", "replace"]';
  const commands = '"run_shell_command"';
  const rules = patterns.map((pattern) =>
    rule(files, { argsPattern: JSON.stringify(pattern), decision: '"allow"', priority: '100' }),
  );
  if (capabilities.includes('RUN_TESTS')) {
    const commandPrefix = JSON.stringify(tests);
    rules.push(rule(commands, { commandPrefix, decision: '"allow"', priority: '100' }));
  }
  const writes = capabilities.includes('EDIT') || capabilities.includes('RUN_COMMANDS');
  if (writes && !invocation.mayConfigure)
    for (const pattern of settingsPatterns(invocation))
      rules.push(rule(files, { argsPattern: JSON.stringify(pattern), decision: '"deny"', priority: '200' }));
  if (capabilities.includes('RUN_COMMANDS')) return rules.join('\n');
  const refused = capabilities.includes('EDIT') ? [commands] : [commands, files];
  const denials = refused.map((tools) => rule(tools, { decision: '"deny"', priority: '1' }));
  return [...rules, ...denials].join('\n');
}

/**
 * Files that configure agents in the workspace and below it, and absolute paths that lead there by
 * a detour. Gemini drops a rule whose pattern nests repetitions.
 */
function settingsPatterns({ workspace }: Invocation): string[] {
  const names = [
    ...settingsFolders.map((name) => String.raw`${escapeForPattern(name)}(?:|/[^"]*)`),
    ...settingsFiles.map((name) => escapeForPattern(name).replace(String.raw`\*`, '[^"/]*')),
  ].join('|');
  const opening = String.raw`\x00"file_path":"`;
  return [
    String.raw`${opening}(?:${inJson(workspace)}/|(?!/))(?:|[^"]*/)(?:${names})"\x00`,
    String.raw`${opening}/(?:|[^"]*/)\.{0,2}/[^"]*"\x00`,
  ];
}

function inJson(path: string): string {
  return escapeForPattern(JSON.stringify(path).slice(1, -1));
}

function rule(tools: string, keys: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ toolName: tools, ...keys }).map(([key, value]) => `${key} = ${value}\n`);
  return `[[rule]]\n${lines.join('')}`;
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[-[\]{}()*+?.,\\^$|#\s]/g, String.raw`\$&`);
}

/** A tool result names the tool use, not the tool. */
function commandNews(event: JsonObject): CommandNews | null {
  const id = string(event['tool_id']);
  if (id === null) return null;
  if (event['type'] === 'tool_result') return { id, is: 'over' };
  return event['tool_name'] === 'run_shell_command' ? { id, is: 'running' } : null;
}

function read(exit: Exit, invocation: Invocation, options: ProviderOptions, now: number): Outcome {
  const events = eventsIn(exit.stdout);
  const result = events.findLast((event) => event['type'] === 'result');
  const started = events.find((event) => event['type'] === 'init');
  const model = string(started?.['model']) ?? invocation.model;
  const usage = usageIn(result, model, options);
  const stopped = interrupted(exit, options.name, [...statuses.keys()]);
  if (stopped !== null) return { ...stopped, usage };
  if (result?.['status'] !== 'success' || exit.code !== 0) {
    return unsuccessful(exit, result, { usage, now, program: options.name });
  }
  return {
    is: 'done',
    text: finalText(events),
    session: continued(string(started?.['session_id']), usage, invocation.session),
    usage,
    model,
    denials: denialsOf(events),
  };
}

interface Failing {
  readonly now: number;
  readonly usage: Usage;
  readonly program: string;
}

function unsuccessful(exit: Exit, result: JsonObject | undefined, { now, usage, program }: Failing): Outcome {
  const text = string(at(result, 'error', 'message')) ?? '';
  if (exit.code === 53) return never(`${program} used up its number of steps`, usage, 'E_BUDGET');
  const refusal = refusals.get(exit.code ?? 0);
  if (refusal !== undefined)
    return never(because(`${program} ${refusal.problem}`, exit.stderr), usage, refusal.code);
  const status = statuses.get(exit.code ?? 0) ?? null;
  return failed({ program, status, text, stderr: exit.stderr, usage, login }, now);
}

/**
 * Of this run alone, also in a resumed conversation. Only the total contains thoughts; they count
 * as output.
 */
function usageIn(result: JsonObject | undefined, model: string | null, options: ProviderOptions): Usage {
  const models = at(result, 'stats', 'models');
  const each = isJsonObject(models) ? Object.entries(models) : [];
  // Gemini uses other models than the requested one for small tasks.
  if (each.length > 0) return together(each.map(([name, stats]) => usageBy(stats, name, options)));
  return usageBy(at(result, 'stats'), model, options);
}

function usageBy(stats: Json | undefined, model: string | null, options: ProviderOptions): Usage {
  const input = figure(at(stats, 'input_tokens'));
  const output = figure(at(stats, 'output_tokens'));
  if (input === null && output === null) return unknownUsage;
  const taken = input ?? 0;
  const cached = Math.min(taken, figure(at(stats, 'cached')) ?? 0);
  const thought = (figure(at(stats, 'total_tokens')) ?? 0) - taken;
  const count = { input: taken - cached, cached, output: Math.max(output ?? 0, thought), usd: null };
  return usageOf(count, options.price(model));
}

/** The assistant's texts between tool uses; each arrives in pieces. */
function spokenTexts(events: readonly JsonObject[]): string[] {
  const found = [''];
  for (const event of events) {
    if (event['type'] === 'tool_result' || event['type'] === 'tool_use') found.push('');
    else if (event['type'] === 'message' && event['role'] === 'assistant')
      found.push((found.pop() ?? '') + (string(event['content']) ?? ''));
  }
  return found;
}

/** The assistant's text after its last tool use. */
function finalText(events: readonly JsonObject[]): string {
  return spokenTexts(events).at(-1) ?? '';
}

/** All texts of the assistant. */
function said(events: readonly JsonObject[]): string {
  return paragraphs(spokenTexts(events));
}

const refusedUse =
  /denied by policy|requires user confirmation|not in workspace|outside the allowed workspace/i;

function denialsOf(events: readonly JsonObject[]): string[] {
  const uses = events.filter((event) => event['type'] === 'tool_use');
  return events
    .filter((event) => event['type'] === 'tool_result' && event['status'] === 'error')
    .filter((event) => {
      const kind = at(event, 'error', 'type');
      return (
        kind === 'policy_violation' ||
        kind === 'tool_not_registered' ||
        refusedUse.test(string(event['output']) ?? '')
      );
    })
    .map((event) => {
      const use = uses.find((candidate) => candidate['tool_id'] === event['tool_id']);
      const detail = at(use, 'parameters', 'file_path') ?? at(use, 'parameters', 'command');
      return denied(string(use?.['tool_name']) ?? 'a tool', string(detail));
    });
}
