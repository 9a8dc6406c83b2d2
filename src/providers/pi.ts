import { settingsFiles, settingsFolders } from './agent-settings.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import type { Price } from '../kernel/price.ts';
import { at, eventsIn, figure, list, paragraphs, string } from './events.ts';
import { interrupted } from './exits.ts';
import { failed, statusIn } from './failures.ts';
import { networkVariables, type ProviderOptions } from './options.ts';
import { because, denied, transient } from './outcomes.ts';
import { callsOf, nothing, together, unknownUsage, usageOf, type Count } from './prices.ts';
import { runningCommands, type CommandNews } from './running-commands.ts';
import { continued } from './sessions.ts';
import { spending, type Counter } from './spending.ts';
import { streamProvider } from './stream-provider.ts';
import { environment } from './variables.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Calls, Usage } from '../kernel/cost.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider, Restriction } from './provider.ts';

const login = 'run `pi` once and use /login, or set the key of its provider';

const inherited = [
  'PI_CODING_AGENT_DIR',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
  'OPENCODE_API_KEY',
  'DEEPSEEK_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'XAI_API_KEY',
];

/** No search for a new version, no report of an installation, no download of a search program. */
const switches = { PI_OFFLINE: '1', PI_TELEMETRY: '0' };

const policyName = 'pi-policy.json';

/** pi, driven by `pi -p --mode json`; an extension of Mailroom decides each use of a tool. */
export function piProvider(options: ProviderOptions): Provider {
  return {
    ...streamProvider(options, { restrict, start, read, said, calls, isFinal }),
    tools: false,
    mcp: 'pi has no client for MCP servers',
  };
}

function restrict(capabilities: readonly Capability[]): Restriction {
  const broaderThanRequested = capabilities.length === 0 ? ['READ: pi always reads its workspace'] : [];
  return { exact: broaderThanRequested.length === 0, broaderThanRequested };
}

function start(invocation: Invocation, options: ProviderOptions): CommandLine {
  const { model, variant, session, budget, maxSteps, maxCommandTime, paths } = invocation;
  const policy = `${paths.folder}/${policyName}`;
  return {
    argv: [
      options.command,
      ['-p', '--mode', 'json'],
      // No settings and no programs of the repository, and no extension but this one.
      ['--no-approve', '--no-extensions', '-e', options.piExtension],
      ['--tools', toolsFor(invocation).join(',')],
      // A setting of the repository could name another folder, and counts without its approval.
      ['--session-dir', sessionFolder(options)],
      model === null ? [] : ['--model', model],
      variant === null ? [] : ['--thinking', variant],
      session === null ? [] : ['--session', session.id],
      options.systemPrompt === undefined ? [] : ['--system-prompt', options.systemPrompt],
      options.arguments,
    ].flat(),
    env: { ...environment(invocation, switches), MAILROOM_PI_POLICY: policy },
    inherit: [...inherited, ...networkVariables, ...options.inherit],
    stdin: invocation.prompt,
    files: { [policyName]: `${JSON.stringify(policyOf(invocation, options), null, 2)}\n` },
    writable: options.writable,
    settings: options.guarded,
    programs: [options.piExtension],
    ...spending({ budget, maxSteps, isStep: isAnswer }, counter(options)),
    ...runningCommands(maxCommandTime, commandNews),
  };
}

function sessionFolder({ writable: [folder = ''] }: ProviderOptions): string {
  return `${folder}/sessions/mailroom`;
}

/** The staging folder is always writable; the extension knows where else a role may write. */
function toolsFor({ capabilities }: Invocation): string[] {
  const shell = capabilities.includes('RUN_COMMANDS') || capabilities.includes('RUN_TESTS');
  return ['read', 'grep', 'find', 'ls', 'write', 'edit', ...(shell ? ['bash'] : [])];
}

function policyOf(invocation: Invocation, { tests }: ProviderOptions): Record<string, unknown> {
  const { capabilities, workspace, project, owed, mayConfigure, paths } = invocation;
  return {
    capabilities,
    workspace,
    outbox: paths.outbox,
    owed,
    readable: [project, paths.folder],
    tests,
    servers: [],
    settings: { folders: settingsFolders, files: settingsFiles },
    mayConfigure,
  };
}

function isFinal({ type }: JsonObject): boolean | null {
  if (type === 'agent_settled') return true;
  return type === 'agent_start' || type === 'message_start' ? false : null;
}

/** One answer of the model is one step. */
function isAnswer(event: JsonObject): boolean {
  return event['type'] === 'message_end' && at(event, 'message', 'role') === 'assistant';
}

function commandNews(event: JsonObject): CommandNews | null {
  const id = string(event['toolCallId']);
  if (id === null || event['toolName'] !== 'bash') return null;
  if (event['type'] === 'tool_execution_start') return { id, is: 'running' };
  return event['type'] === 'tool_execution_end' ? { id, is: 'over' } : null;
}

function read(exit: Exit, invocation: Invocation, options: ProviderOptions, now: number): Outcome {
  const events = eventsIn(exit.stdout);
  const answers = events.filter(isAnswer);
  const usage = usageIn(events, answers, options.price(invocation.model));
  const stopped = interrupted(exit, options.name);
  if (stopped !== null) return { ...stopped, usage };
  const last = at(answers.at(-1), 'message');
  const message = string(at(last, 'errorMessage')) ?? '';
  const isOver = events.some((event) => event['type'] === 'agent_settled');
  if (message !== '' || last === undefined || exit.code !== 0) {
    const failure = { program: options.name, status: statusOf(message), text: message };
    return failed({ ...failure, stderr: exit.stderr, usage, login }, now);
  }
  if (!isOver || at(last, 'stopReason') !== 'stop')
    return transient(because(`${options.name} ended without a result`, exit.stderr), usage);
  const opened = events.find((event) => event['type'] === 'session');
  return {
    is: 'done',
    text: textsOf(last).join('\n'),
    session: continued(string(opened?.['id']), usage, invocation.session),
    usage,
    model: string(at(last, 'model')) ?? invocation.model,
    denials: denialsOf(events),
  };
}

/** An error of the API begins with its status: `429: {"message": …}`. */
function statusOf(message: string): number | null {
  const status = /^([45]\d\d)\b/.exec(message)?.[1];
  return status === undefined ? statusIn(message) : Number(status);
}

/**
 * The sum of all answers. An answer that was refused with a status has used nothing; one that broke
 * off has used an unknown amount, unless others were counted before.
 */
function usageIn(events: readonly JsonObject[], answers: readonly JsonObject[], price: Price | null): Usage {
  const started = events.some((event) => event['type'] === 'agent_start');
  if (!started) return nothing;
  const counted = answers.filter((answer) => tokensOf(answer) !== 0);
  if (counted.length > 0) return together(counted.map((answer) => usageBy(answer, price)));
  const message = string(at(answers.at(-1), 'message', 'errorMessage'));
  return message !== null && statusOf(message) !== null ? nothing : unknownUsage;
}

function tokensOf(answer: JsonObject): number {
  const { tokens } = usageBy(answer, null);
  return tokens ?? 0;
}

function calls(events: readonly JsonObject[]): Calls {
  const answers = events.filter(isAnswer).filter((answer) => tokensOf(answer) !== 0);
  return callsOf(answers.map(countOf));
}

function usageBy(answer: JsonObject, price: Price | null): Usage {
  return usageOf(countOf(answer), price);
}

/** A cost of 0 for used tokens means that pi has no price for the model. */
function countOf(answer: JsonObject): Count {
  const part = (...path: readonly string[]) => figure(at(answer, 'message', 'usage', ...path)) ?? 0;
  const usd = part('cost', 'total');
  return {
    input: part('input'),
    cached: part('cacheRead'),
    written: part('cacheWrite'),
    output: part('output'),
    usd: usd === 0 ? null : usd,
  };
}

function counter(options: ProviderOptions): Counter {
  const answers: JsonObject[] = [];
  return {
    add: (event) => void (isAnswer(event) && answers.push(event)),
    get usage() {
      return together(answers.map((answer) => usageBy(answer, options.price(null))));
    },
  };
}

function textsOf(message: Json | undefined): string[] {
  return list(at(message, 'content')).flatMap((part) => string(at(part, 'text')) ?? []);
}

/** All texts of the agent. */
function said(events: readonly JsonObject[]): string {
  return paragraphs(events.filter(isAnswer).flatMap((answer) => textsOf(at(answer, 'message'))));
}

const refusedUse = /^(?:Mailroom refuses |Tool \S+ not found)/;

/** Tools that the extension refused, and tools that were called without being offered. */
function denialsOf(events: readonly JsonObject[]): string[] {
  const inputs = new Map(
    events
      .filter((event) => event['type'] === 'tool_execution_start')
      .map((event) => [string(event['toolCallId']), event['args']]),
  );
  return events
    .filter((event) => event['type'] === 'tool_execution_end' && event['isError'] === true)
    .filter((event) =>
      list(at(event, 'result', 'content')).some((part) => refusedUse.test(string(at(part, 'text')) ?? '')),
    )
    .map((event) => {
      const input = inputs.get(string(event['toolCallId']));
      const detail = at(input, 'path') ?? at(input, 'command');
      return denied(string(event['toolName']) ?? 'a tool', string(detail));
    });
}
