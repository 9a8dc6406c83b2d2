import { MailroomError } from '../../kernel/errors.ts';
import { capabilities as allCapabilities, type Capability } from '../../kernel/capabilities.ts';
import { parseDuration } from '../../kernel/duration.ts';
import type { Context } from '../context.ts';
import type { AskedWorkflow } from '../../project/definition/contracts.ts';
import { caller } from '../control.ts';
import { line } from '../format.ts';
import { follow } from '../run-follow.ts';
import { givenContext, startFound, startRun, workspaceOf, type StartOptions } from '../run-start.ts';

interface RunOptions extends StartOptions {
  readonly dryRun?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly capabilities?: string;
  readonly timeout?: string;
}

/** Options of `run` that mean nothing without a workflow file. */
const ofFiles = ['dryRun', 'param', 'input', 'context', 'contextFile', 'maxVisits', 'overrides'] as const;

/** Those that mean nothing with one. */
const ofAgents = ['model', 'capabilities', 'timeout'] as const;

/** Runs a workflow, the one that an event requests, or with `--agent` one task. */
export async function run(context: Context, workflow: string, options: RunOptions): Promise<number> {
  refuseIdleOptions(options);
  if (options.dryRun === true && options.agent === undefined) {
    const { plan } = await import('./plan.ts');
    return plan(context, workflow, options);
  }
  if (options.agent !== undefined) return runOneShot(context, options.agent, workflow, options);
  const asked = await context.place().workflows.asked(workflow, context.call.cwd);
  return asked === null ? startRun(context, workflow, options) : startAsked(context, asked, options);
}

/**
 * Starts a run that an event requests, with the event's parameters, and follows it until it ends.
 */
function startAsked(context: Context, asked: AskedWorkflow, options: RunOptions): Promise<number> {
  context.outsideTurn('run');
  const { workflows } = context.place();
  const workspace = workspaceOf(context, asked.workflow, asked.definition, options);
  const rest = { context: {}, workspace, only: null, record: null, replay: null };
  context.announce();
  return follow(context, options, (watch) =>
    workflows.begin({ ...asked, ...rest, person: caller(context), watch }),
  );
}

/** Throws `E_USAGE` for an option that would do nothing. */
function refuseIdleOptions(options: RunOptions): void {
  const isOneShot = options.agent !== undefined;
  const idle = (isOneShot ? ofFiles : ofAgents).find((name) => options[name] !== undefined);
  if (idle === undefined) return;
  const flag = `--${idle.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const why = isOneShot ? 'with `--agent`' : 'without `--agent`';
  throw new MailroomError('E_USAGE', `\`${flag}\` does nothing ${why}`, 'remove it');
}

/** Runs one agent with a task, and prints its answer at the end. */
async function runOneShot(
  context: Context,
  agent: string,
  text: string,
  options: RunOptions,
): Promise<number> {
  context.outsideTurn('run');
  if (text.trim() === '') throw new MailroomError('E_USAGE', 'the task is empty', 'write it as one argument');
  context.enter(null);
  const found = await context.place().workflows.oneShot({
    agent,
    text,
    model: options.model ?? null,
    capabilities: options.capabilities === undefined ? null : capabilitiesOf(options.capabilities),
    timeout: options.timeout === undefined ? null : durationOf(options.timeout),
  });
  const warnings = found.checked.ok ? found.checked.warnings : [];
  for (const { message } of warnings) context.terminal.complain(`warning: ${line(message)}\n`);
  return startFound(context, found, options, {
    only: null,
    given: givenContext(context, {}),
    answers: 'work',
  });
}

function capabilitiesOf(text: string): Capability[] {
  return text.split(',').map((word) => {
    const found = allCapabilities.find((each) => each === word.trim().toUpperCase());
    if (found !== undefined) return found;
    const message = `\`--capabilities\` must be a list of ${allCapabilities.join(', ')}, not \`${text}\``;
    throw new MailroomError('E_USAGE', message, 'separate them by commas: READ,EDIT');
  });
}

function durationOf(text: string): number {
  const time = parseDuration(text);
  if (time !== null && time > 0) return time;
  throw new MailroomError('E_USAGE', `\`--timeout\` must be a duration such as 30m, not \`${text}\``);
}
