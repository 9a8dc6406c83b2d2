import type { Json, JsonObject } from '../kernel/json.ts';
import type { TokenCount } from '../kernel/price.ts';
import { at, eventsIn, figure, paragraphs, string } from './events.ts';
import { interrupted } from './exits.ts';
import { failed, statusIn } from './failures.ts';
import { networkVariables, silentMs, type ProviderOptions } from './options.ts';
import { because, transient } from './outcomes.ts';
import { callsOf, nothing, pricedSinceSession, together, unknownUsage, usageOf } from './prices.ts';
import { agyObeys } from './repository-settings.ts';
import { runningCommands, type CommandNews } from './running-commands.ts';
import { failedIn, settle } from './sessions.ts';
import { spending, type Counter } from './spending.ts';
import { streamProvider } from './stream-provider.ts';
import { environment } from './variables.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Usage } from '../kernel/cost.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider, Restriction } from './provider.ts';

const login = 'run `agy` once and log in';

/**
 * The Antigravity CLI, driven by its stream of JSON events. Known only from streams that others
 * recorded.
 */
export function agyProvider(options: ProviderOptions): Provider {
  return {
    ...streamProvider(options, {
      restrict: (capabilities, sandboxed = false) => restrict(options.name, capabilities, sandboxed),
      start,
      read,
      said,
      calls: (events) => callsOf(answersIn(events)),
      isFinal,
      obeys: agyObeys,
      idleMs: silentMs,
    }),
    tools: false,
    mcp: 'agy connects to the servers of its own settings, and Mailroom cannot choose among them',
  };
}

/** Its rules are one file for every run, so a run of a role can allow everything or nothing. */
function restrict(name: string, capabilities: readonly Capability[], sandboxed: boolean): Restriction {
  const broaderThanRequested: string[] = [];
  if (capabilities.length === 0) broaderThanRequested.push(`READ: ${name} always reads its workspace`);
  if (!capabilities.includes('RUN_COMMANDS')) {
    if (!sandboxed)
      broaderThanRequested.push(
        `RUN_COMMANDS: ${name} has no rules for a single run, and only a sandbox restricts it`,
      );
    else if (capabilities.some((capability) => capability !== 'READ'))
      broaderThanRequested.push(
        `RUN_COMMANDS: ${name} has no rules for a single run; any command runs, and can write its workspace`,
      );
  }
  return { exact: broaderThanRequested.length === 0, broaderThanRequested };
}

function start(invocation: Invocation, options: ProviderOptions): CommandLine {
  const { model, variant, session, budget, maxSteps, maxCommandTime, paths, prompt } = invocation;
  return {
    argv: [
      options.command,
      // An argument could not hold a long prompt; only this format is read from standard input.
      ['--input-format', 'stream-json', '--output-format', 'stream-json'],
      // Its own limit is 5 minutes.
      ['--print-timeout', '24h'],
      ['--disable-slash-commands', '--dangerously-skip-permissions'],
      ['--add-dir', paths.folder],
      model === null ? [] : ['--model', model],
      variant === null ? [] : ['--effort', variant],
      session === null ? [] : ['--conversation', session.id],
      options.arguments,
    ].flat(),
    env: environment(invocation),
    inherit: [...networkVariables, ...options.inherit],
    stdin: `${JSON.stringify({ event: 'user', message: { role: 'user', content: prompt } })}\n`,
    files: {},
    writable: options.writable,
    settings: options.guarded,
    shuns: agyObeys.names,
    ...spending({ budget, maxSteps, isStep: isAnswer }, counter(options)),
    ...runningCommands(maxCommandTime, commandNews),
  };
}

function isFinal({ event }: JsonObject): boolean | null {
  return event === 'result' ? true : event === 'step_update' ? false : null;
}

/** One finished answer of the model is one step. */
function isAnswer(event: JsonObject): boolean {
  const { step_type: type, state } = stepOf(event);
  return type === 'agent_response' && state === 'DONE';
}

function stepOf(event: JsonObject): JsonObject {
  const step = event['event'] === 'step_update' ? event['step_update'] : undefined;
  return typeof step === 'object' && step !== null && !Array.isArray(step) ? step : {};
}

function commandNews(event: JsonObject): CommandNews | null {
  const { tool_name: tool, step_index: index, state } = stepOf(event);
  if (tool !== 'run_command') return null;
  return { id: JSON.stringify(index ?? null), is: state === 'ACTIVE' ? 'running' : 'over' };
}

function read(exit: Exit, invocation: Invocation, options: ProviderOptions, now: number): Outcome {
  const events = eventsIn(exit.stdout);
  const result = at(
    events.findLast((event) => event['event'] === 'result'),
    'result',
  );
  const { model, total, usage } = usageIn(events, result, invocation, options);
  const session = failedIn(total, usage, invocation.session);
  const stopped = interrupted(exit, options.name);
  if (stopped !== null) return { ...stopped, usage, session };
  const error = string(at(result, 'error')) ?? '';
  if (result === undefined && error === '' && exit.code === 0)
    return { ...transient(because(`${options.name} ended without a result`, exit.stderr), usage), session };
  if (at(result, 'status') !== 'SUCCESS' || exit.code !== 0) {
    const failure = { program: options.name, status: statusOf(error), text: error };
    return { ...failed({ ...failure, stderr: exit.stderr, usage, login }, now), session };
  }
  return {
    is: 'done',
    text: (string(at(result, 'response')) ?? '').trim(),
    session: settle(string(at(result, 'conversation_id')), total, invocation.session),
    usage,
    model,
    // What it refuses is not among its events, and nothing is refused to it but by the sandbox.
    denials: [],
  };
}

/** `Error 429, Message: Resource has been exhausted …`. */
function statusOf(error: string): number | null {
  const status = /\bError ([45]\d\d)\b/.exec(error)?.[1];
  return status === undefined ? statusIn(error) : Number(status);
}

/** The result counts the whole conversation; without it, the answers of this run count. */
function usageIn(
  events: readonly JsonObject[],
  result: Json | undefined,
  { model: asked, session }: Invocation,
  options: ProviderOptions,
): { readonly model: string | null; readonly total: Usage; readonly usage: Usage } {
  const opened = events.find((event) => event['event'] === 'init');
  const model = string(at(opened, 'init', 'model')) ?? asked;
  const price = options.price(model);
  const count = countOf(at(result, 'usage'));
  if (count !== null) return { model, ...pricedSinceSession(count, price, session) };
  const answers = answersIn(events);
  const streamed = together(answers.map((each) => usageOf({ ...each, usd: null }, price)));
  const unanswered = opened === undefined ? nothing : unknownUsage;
  return { model, total: unknownUsage, usage: answers.length === 0 ? unanswered : streamed };
}

function answersIn(events: readonly JsonObject[]): TokenCount[] {
  return events.filter(isAnswer).flatMap((event) => countOf(stepOf(event)['usage']) ?? []);
}

/** Input is without what was cached, and output with the thoughts. */
function countOf(usage: Json | undefined): TokenCount | null {
  const input = figure(at(usage, 'input_tokens'));
  if (input === null) return null;
  const part = (key: string) => figure(at(usage, key)) ?? 0;
  return { input, cached: part('cache_read_tokens'), output: part('output_tokens') };
}

function counter(options: ProviderOptions): Counter {
  const answers: TokenCount[] = [];
  let price = options.price(null);
  return {
    add(event) {
      const model = string(at(event, 'init', 'model'));
      if (model !== null) price = options.price(model);
      const count = isAnswer(event) ? countOf(stepOf(event)['usage']) : null;
      if (count !== null) answers.push(count);
    },
    get usage() {
      return together(answers.map((each) => usageOf({ ...each, usd: null }, price)));
    },
  };
}

/** All texts of the agent; each arrives in pieces. */
function said(events: readonly JsonObject[]): string {
  const texts = new Map<string, string>();
  for (const event of events) {
    const { step_index: index, text_delta: delta } = stepOf(event);
    const id = JSON.stringify(index ?? null);
    if (typeof delta === 'string') texts.set(id, (texts.get(id) ?? '') + delta);
  }
  return paragraphs([...texts.values()]);
}
