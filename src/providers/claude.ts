import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { settingsFiles, settingsFolders } from './agent-settings.ts';
import type { McpServer } from '../kernel/mcp.ts';
import type { Reading } from './reading.ts';
import { amount, at, eventsIn, figure, list, paragraphs, string } from './events.ts';
import { interrupted } from './exits.ts';
import { failed } from './failures.ts';
import { networkVariables, type ProviderOptions } from './options.ts';
import { endOf } from './limits.ts';
import { because, denied, never } from './outcomes.ts';
import { callsOf, sinceSession, together, unknownUsage, usageOf, type Count } from './prices.ts';
import { failedIn, settle } from './sessions.ts';
import { spending, type Counter } from './spending.ts';
import { jsonSettings, missingServers, serversIn } from './own-settings.ts';
import { instructionFiles, withInstructions } from './repository-words.ts';
import { namesOf, ownOf, serversOf } from './tools.ts';
import { streamProvider } from './stream-provider.ts';
import { environment } from './variables.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Calls, Usage } from '../kernel/cost.ts';
import { ownValue } from '../kernel/own.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider, Restriction } from './provider.ts';

const login = 'run `claude` once and log in, or set ANTHROPIC_API_KEY';

/** No telemetry, no update while running, and no retries that last for minutes without output. */
const switches = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_MAX_RETRIES: '2',
};

const inherited = [
  'ANTHROPIC_*',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
];

/** Claude Code, driven by `claude -p` with its stream of JSON events. */
export function claudeProvider(options: ProviderOptions): Provider {
  return streamProvider(options, { restrict, start, read, said, calls, isFinal });
}

function restrict(capabilities: readonly Capability[]): Restriction {
  const broaderThanRequested =
    capabilities.includes('READ') || capabilities.length > 0
      ? []
      : ['READ: claude always reads its workspace'];
  return { exact: broaderThanRequested.length === 0, broaderThanRequested };
}

function start(invocation: Invocation, options: ProviderOptions): CommandLine {
  const { model, variant, session, budget, maxSteps } = invocation;
  return {
    argv: [
      ...options.command,
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      // No settings of the repository: they could name another server, hooks and programs.
      '--setting-sources',
      'user',
      ...(model === null ? [] : ['--model', model]),
      ...(variant === null ? [] : ['--effort', variant]),
      ...(session === null ? [] : ['--resume', session.id]),
      ...(budget?.usd == null ? [] : ['--max-budget-usd', String(budget.usd)]),
      ...(maxSteps === null ? [] : ['--max-turns', String(maxSteps)]),
      ...permissions(invocation, options),
      ...(options.systemPrompt === undefined ? [] : ['--system-prompt', options.systemPrompt]),
      ...options.arguments,
    ],
    env: environment(invocation, { ...switches, ...commandTime(invocation) }),
    inherit: [...inherited, ...networkVariables, ...options.inherit],
    stdin: invocation.prompt,
    files: serverFile(invocation, {}),
    writable: options.writable,
    settings: options.guarded,
    reading: reading(invocation, options),
    ...spending({ budget }, counter(options)),
  };
}

function isFinal({ type }: JsonObject): boolean | null {
  if (type === 'result') return true;
  return type === 'assistant' || type === 'user' ? false : null;
}

/** Both variables, since the model can request more than the default, up to the maximum. */
function commandTime({ maxCommandTime }: Invocation): Record<string, string> {
  if (maxCommandTime === null) return {};
  const limit = String(maxCommandTime);
  return { BASH_DEFAULT_TIMEOUT_MS: limit, BASH_MAX_TIMEOUT_MS: limit };
}

/**
 * The instruction files of a repository, which claude does not read without the repository's
 * settings.
 */
const instructions = ['CLAUDE.md', '.claude/CLAUDE.md'];

/** Reads the repository's instructions, and the user's MCP servers that the role may use. */
function reading(invocation: Invocation, { settings }: ProviderOptions): Reading {
  const words = instructionFiles(invocation, instructions);
  const own = ownOf(invocation);
  const paths = own.length === 0 ? [] : settings;
  return {
    files: [...words, ...paths.map((path) => ({ path, within: null }))],
    apply: (texts) => {
      const [path = ''] = paths;
      const theirs = serversIn(jsonSettings('claude', path, texts[words.length] ?? null), 'mcpServers');
      const missing = own.filter((name) => !Object.hasOwn(theirs, name));
      if (missing.length > 0) throw missingServers('claude', missing, path);
      return {
        stdin: withInstructions(invocation, instructions, texts.slice(0, words.length)),
        files: serverFile(
          invocation,
          Object.fromEntries(own.map((name) => [name, ownValue(theirs, name) ?? null])),
        ),
      };
    },
  };
}

const serversName = 'claude-mcp.json';

function serverFile(invocation: Invocation, own: Readonly<Record<string, Json>>): Record<string, string> {
  if (namesOf(invocation).length === 0) return {};
  const ours = Object.entries(serversOf(invocation)).map(([name, server]) => [name, definition(server)]);
  const config = { mcpServers: { ...own, ...(Object.fromEntries(ours) as Record<string, unknown>) } };
  return { [serversName]: `${JSON.stringify(config, null, 2)}\n` };
}

function definition(server: McpServer): Record<string, unknown> {
  return { type: 'url' in server ? 'http' : 'stdio', ...server };
}

/** The files that configure agents in the workspace and in folders below it. */
const settingsRules = [...settingsFolders.map((name) => `${name}/**`), ...settingsFiles].map(
  (pattern) => `Edit(**/${pattern})`,
);

/**
 * The staging folder is always writable: path rules begin with `//` for an absolute path, and
 * `Edit` covers every tool that writes files. The mode `acceptEdits` would also let a role that may
 * only run tests remove and move files by the shell.
 */
function permissions(invocation: Invocation, options: ProviderOptions): string[] {
  const { capabilities, paths, owed } = invocation;
  const servers = namesOf(invocation);
  const edits = capabilities.includes('EDIT');
  const commands = capabilities.includes('RUN_COMMANDS');
  const shell = commands || capabilities.includes('RUN_TESTS');
  const allowed = [
    `Edit(/${paths.outbox}/**)`,
    `Read(/${paths.folder}/**)`,
    ...(edits ? ['Edit(**)'] : owed.flatMap((path) => [`Edit(/${path})`, `Edit(/${path}/**)`])),
    ...servers.map((name) => `mcp__${name}`),
    ...(commands ? ['Bash'] : []),
    ...(shell && !commands ? options.tests.map((test) => `Bash(${test}:*)`) : []),
  ];
  return [
    ['--permission-mode', 'default'],
    ...shellTool(shell, options.arguments),
    ['--allowedTools', allowed.join(',')],
    ...(edits && !invocation.mayConfigure ? [['--disallowedTools', settingsRules.join(',')]] : []),
    ['--add-dir', paths.outbox],
    // The user's MCP servers would bring permissions that the role was not given.
    ['--strict-mcp-config'],
    ...(servers.length === 0 ? [] : [['--mcp-config', `${paths.folder}/${serversName}`]]),
  ].flat();
}

/** Wins over every rule that allows commands, also of the user's own settings. */
const askForCommands = JSON.stringify({ permissions: { ask: ['Bash'] } });

/**
 * All roles have the same tools, so that their requests begin with the same words, which vendors
 * keep in common. One that may run no command is asked about each, and none is there to answer. The
 * user's own `--settings` would take the place of that rule: then the tool is not offered.
 */
function shellTool(mayRun: boolean, given: readonly string[]): string[][] {
  const replaced = given.some((argument) => /^--settings(=|$)/.test(argument));
  const tools = ['Read', 'Grep', 'Glob', 'Write', 'Edit', ...(mayRun || !replaced ? ['Bash'] : [])];
  return [['--tools', tools.join(',')], ...(mayRun || replaced ? [] : [['--settings', askForCommands]])];
}

function read(exit: Exit, invocation: Invocation, options: ProviderOptions, now: number): Outcome {
  const events = eventsIn(exit.stdout);
  const result = events.findLast((event) => event['type'] === 'result');
  const total = totalOf(result, options);
  // Without a result the total is unknown: then its answers so far count.
  const usage =
    result === undefined ? streamedUsage(events, options) : sinceSession(total, invocation.session);
  const stopped = interrupted(exit, options.name);
  const session = failedIn(total, usage, invocation.session);
  if (stopped !== null) return { ...stopped, usage, session };
  // On an API error the result has `subtype: success` and `is_error: true`: the subtype alone
  // proves nothing.
  if (result?.['subtype'] !== 'success' || result['is_error'] !== false || exit.code !== 0) {
    return { ...unsuccessful(exit, events, result, { now, usage, program: options.name }), session };
  }
  return {
    is: 'done',
    text: string(result['result']) ?? '',
    session: settle(string(result['session_id']), total, invocation.session),
    usage,
    model: modelOf(events) ?? invocation.model,
    denials: denialsOf(events, result),
  };
}

/** All texts of the agent. The result repeats the last one. */
function said(events: readonly JsonObject[]): string {
  const parts = events
    .filter((event) => event['type'] === 'assistant')
    .flatMap((event) => list(at(event, 'message', 'content')));
  return paragraphs(parts.map((part) => string(at(part, 'text')) ?? ''));
}

interface Failing {
  readonly now: number;
  readonly usage: Usage;
  readonly program: string;
}

function unsuccessful(
  exit: Exit,
  events: readonly JsonObject[],
  result: JsonObject | undefined,
  { now, usage, program }: Failing,
): Outcome {
  const subtype = string(result?.['subtype']) ?? '';
  const errors = list(result?.['errors']).filter((error) => typeof error === 'string');
  const text = [string(result?.['result']) ?? '', ...errors].join('\n').trim();
  if (subtype === 'error_max_turns' || subtype === 'error_max_budget_usd') {
    const limit = subtype === 'error_max_turns' ? 'its number of steps' : 'its budget';
    return never(because(`${program} used up ${limit}`, text), usage, 'E_BUDGET');
  }
  const status = amount(result?.['api_error_status']);
  const outcome = failed({ program, status, text, stderr: exit.stderr, usage, login }, now);
  const until = rejectedUntil(events, now);
  const limit = outcome.is === 'later' && outcome.class === 'RETRYABLE_RATE_LIMIT';
  return limit && until !== null ? { ...outcome, until } : outcome;
}

/**
 * `rate_limit_event` gives the end of a subscription's limit more exactly than the message for
 * people.
 */
function rejectedUntil(events: readonly JsonObject[], now: number): number | null {
  const last = events.findLast((event) => event['type'] === 'rate_limit_event');
  if (at(last, 'rate_limit_info', 'status') !== 'rejected') return null;
  const resets = amount(at(last, 'rate_limit_info', 'resetsAt'));
  return resets === null ? null : endOf(`resets_at: ${Math.floor(resets)}`, now);
}

/** The conversation's total so far: cost and tokens both continue to grow after a resume. */
function totalOf(result: JsonObject | undefined, options: ProviderOptions): Usage {
  const models = result?.['modelUsage'];
  const sum = (...keys: readonly string[]) =>
    (isJsonObject(models) ? Object.values(models) : [])
      .flatMap((model) => keys.map((key) => figure(at(model, key)) ?? 0))
      .reduce((total, part) => total + part, 0);
  const usd = figure(result?.['total_cost_usd']);
  if (!isJsonObject(models)) return { usd, tokens: null };
  const [input, written] = [sum('inputTokens'), sum('cacheCreationInputTokens')];
  const [cached, hourly] = [sum('cacheReadInputTokens'), sum('cacheCreationEphemeral1hInputTokens')];
  const [model = null] = Object.keys(models);
  const count = { input, cached, written, hourly, output: sum('outputTokens'), usd };
  return usageOf(count, options.price(model));
}

/**
 * Of a run without a result. An answer is reported as it begins, without the reason of its end and
 * with the first token of its output: the rest is unknown.
 */
function streamedUsage(events: readonly JsonObject[], options: ProviderOptions): Usage {
  const answers = events.filter((event) => event['type'] === 'assistant');
  if (answers.length === 0) return unknownUsage;
  const count = counter(options);
  for (const event of answers) count.add(event);
  const isBegun = answers.some((event) => at(event, 'message', 'stop_reason') === null);
  return isBegun ? { ...count.usage, more: true } : count.usage;
}

/** Several events of one model answer repeat the same usage. */
function counter(options: ProviderOptions): Counter {
  const answers = new Map<string, Usage>();
  let usage: Usage = { usd: 0, tokens: 0 };
  return {
    add(event) {
      const used = at(event, 'message', 'usage');
      if (event['type'] !== 'assistant' || used === undefined) return;
      const id = string(at(event, 'message', 'id')) ?? '';
      const now = usageOf(countOf(used), options.price(string(at(event, 'message', 'model'))));
      usage = together([usage, now, less(answers.get(id))]);
      answers.set(id, now);
    },
    get usage() {
      return usage;
    },
  };
}

function countOf(used: Json): Count {
  const part = (...keys: readonly string[]) => figure(at(used, ...keys)) ?? 0;
  return {
    input: part('input_tokens'),
    cached: part('cache_read_input_tokens'),
    written: part('cache_creation_input_tokens'),
    hourly: part('cache_creation', 'ephemeral_1h_input_tokens'),
    output: part('output_tokens'),
    usd: null,
  };
}

/** Only the result has all of the output: an answer is reported as it begins. */
function calls(events: readonly JsonObject[]): Calls {
  const answers = new Map<string, Count>();
  for (const event of events) {
    const used = at(event, 'message', 'usage');
    if (event['type'] === 'assistant' && used !== undefined)
      answers.set(string(at(event, 'message', 'id')) ?? '', countOf(used));
  }
  const result = events.findLast(({ type }) => type === 'result');
  const output = figure(at(result, 'usage', 'output_tokens'));
  const counted = callsOf([...answers.values()]);
  return output === null ? counted : { ...counted, output };
}

function less(usage: Usage = { usd: 0, tokens: 0 }): Usage {
  const { usd, tokens } = usage;
  return { usd: usd === null ? null : -usd, tokens: tokens === null ? null : -tokens };
}

function modelOf(events: readonly JsonObject[]): string | null {
  return string(events.find((event) => event['subtype'] === 'init')?.['model']);
}

/**
 * Refused tools, and tools that were called without being offered: the result contains only the
 * first.
 */
function denialsOf(events: readonly JsonObject[], result: JsonObject): string[] {
  const refused = list(result['permission_denials']).map((denial) => {
    const detail = at(denial, 'tool_input', 'file_path') ?? at(denial, 'tool_input', 'command');
    return denied(string(at(denial, 'tool_name')) ?? 'a tool', string(detail));
  });
  const missing = events
    .filter((event) => event['type'] === 'user')
    .flatMap((event) => list(at(event, 'message', 'content')))
    .map((part) => /No such tool available: (\w{1,80})/.exec(string(at(part, 'content')) ?? '')?.[1])
    .filter((tool) => tool !== undefined);
  return [...refused, ...missing];
}
