import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Usage } from '../core/mail/event.ts';
import type { Capability } from '../core/mail/protocol.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider, Restriction } from '../core/ports.ts';
import { amount, at, eventsIn, string } from './events.ts';
import { interrupted } from './exits.ts';
import { failed } from './failures.ts';
import { geminiHome } from './gemini-settings.ts';
import { networkVariables, type ProviderOptions } from './options.ts';
import { because, denied, never } from './outcomes.ts';
import { together, unknownUsage, usageOf } from './prices.ts';
import { runningCommands, type CommandNews } from './running-commands.ts';
import { goOn } from './sessions.ts';
import { environment } from './variables.ts';

const login = 'run `gemini` once and log in, or set GEMINI_API_KEY';

/** gemini ends with the API's status modulo 256; where a number could be a signal, these are statuses. */
const statuses = new Map(
  [400, 401, 403, 404, 429, 500, 502, 503, 504, 529].map((status) => [status & 255, status]),
);

/** Exit codes of its own for what a person must put right. */
const refusals = new Map([
  [41, `is not logged in; ${login}`],
  [44, 'could not start its sandbox'],
  [52, 'has a configuration that it cannot use'],
  [55, 'does not trust this folder'],
]);

const inherited = ['GEMINI_API_KEY', 'GEMINI_CLI_HOME', 'GEMINI_DEFAULT_AUTH_TYPE', 'GOOGLE_*'];

/** Gemini CLI, driven by its stream of JSON events. */
export function geminiProvider(options: ProviderOptions): Provider {
  return {
    name: options.name,
    sessions: true,
    restrict,
    unheld: [],
    start: (invocation) => start(invocation, options),
    read: (exit, invocation, now) => read(exit, invocation, options, now),
  };
}

function restrict(capabilities: readonly Capability[]): Restriction {
  const widened = capabilities.length === 0 ? ['READ: gemini always reads its workspace'] : [];
  return { exact: widened.length === 0, widened };
}

function start(invocation: Invocation, options: ProviderOptions): CommandLine {
  const { model, session, paths, capabilities } = invocation;
  const inTurn = (name: string) => `${paths.folder}/${name}`;
  const mode = capabilities.includes('RUN_COMMANDS')
    ? 'yolo'
    : capabilities.includes('EDIT')
      ? 'auto_edit'
      : 'default';
  return {
    argv: [
      options.command,
      ['-o', 'stream-json'],
      ['--approval-mode', mode],
      ['--policy', inTurn('gemini-policy.toml')],
      // The flag takes a list: a path with a comma would be two that do not exist. Then the final text is the mail.
      paths.outbox.includes(',') ? [] : ['--include-directories', paths.outbox],
      // Without a model it asks a small one which to take; where that fails, it asks for minutes.
      ['-m', model ?? 'pro'],
      session === null ? [] : ['-r', session.id],
      options.arguments,
    ].flat(),
    env: environment(invocation, {
      // A process of its own in between would not pass signals on.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    inherit: [...inherited, ...networkVariables, ...options.inherit],
    stdin: invocation.prompt,
    files: { 'gemini-policy.toml': policy(invocation, options.tests) },
    writable: options.writable,
    ...runningCommands(invocation.maxCommandTime, commandNews),
    home: geminiHome(invocation),
  };
}

/** What is allowed beyond the approval mode: files in the staging folder (not below it, not by `..`), what is owed, tests. */
function policy({ paths, capabilities, owed }: Invocation, tests: readonly string[]): string {
  const inJson = (path: string) => escapeForPattern(JSON.stringify(path).slice(1, -1));
  const patterns = [
    String.raw`\x00"file_path":"${inJson(paths.outbox)}/[^"/\\]+"\x00`,
    // What is owed, and below it; a name in between does not begin with a dot.
    ...owed.map((path) => String.raw`\x00"file_path":"${inJson(path)}(/[^"/\\.][^"/\\]*)*"\x00`),
  ];
  const rules = patterns.map((pattern) =>
    rule('["write_file", "replace"]', 'argsPattern', JSON.stringify(pattern)),
  );
  if (capabilities.includes('RUN_TESTS')) {
    rules.push(rule('"run_shell_command"', 'commandPrefix', JSON.stringify(tests)));
  }
  return rules.join('\n');
}

function rule(tools: string, key: string, value: string): string {
  return `[[rule]]\ntoolName = ${tools}\n${key} = ${value}\ndecision = "allow"\npriority = 100\n`;
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[-[\]{}()*+?.,\\^$|#\s]/g, String.raw`\$&`);
}

/** A result names its use of a tool, and not the tool. */
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
    session: goOn(string(started?.['session_id']), usage, invocation.session),
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
  if (refusal !== undefined) return never(because(`${program} ${refusal}`, exit.stderr), usage);
  const status = statuses.get(exit.code ?? 0) ?? null;
  return failed({ program, status, text, stderr: exit.stderr, usage, login }, now);
}

/** Of this run alone, also in a resumed conversation. Thoughts are in the total only; they are output. */
function usageIn(result: JsonObject | undefined, model: string | null, options: ProviderOptions): Usage {
  const models = at(result, 'stats', 'models');
  const each = isJsonObject(models) ? Object.entries(models) : [];
  // For small matters it uses other models than the one that was asked for.
  if (each.length > 0) return together(each.map(([name, stats]) => usageBy(stats, name, options)));
  return usageBy(at(result, 'stats'), model, options);
}

function usageBy(stats: Json | undefined, model: string | null, options: ProviderOptions): Usage {
  const input = amount(at(stats, 'input_tokens'));
  const output = amount(at(stats, 'output_tokens'));
  if (input === null && output === null) return unknownUsage;
  const taken = input ?? 0;
  const cached = Math.min(taken, amount(at(stats, 'cached')) ?? 0);
  const thought = (amount(at(stats, 'total_tokens')) ?? 0) - taken;
  const count = { input: taken - cached, cached, output: Math.max(output ?? 0, thought), usd: null };
  return usageOf(count, options.price(model));
}

/** What the assistant said after it last used a tool; it comes in pieces. */
function finalText(events: readonly JsonObject[]): string {
  const lastTool = events.findLastIndex(
    (event) => event['type'] === 'tool_result' || event['type'] === 'tool_use',
  );
  return events
    .slice(lastTool + 1)
    .filter((event) => event['type'] === 'message' && event['role'] === 'assistant')
    .map((event) => string(event['content']) ?? '')
    .join('');
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
