import { MailroomError } from '../kernel/errors.ts';
import { capabilities as allCapabilities, type Capability } from '../kernel/capabilities.ts';
import { parseDuration } from '../kernel/duration.ts';
import type { Context } from './context.ts';
import { line } from './format.ts';
import { startFound, type StartOptions } from './run-start.ts';

/** The options of `run --agent`. */
export interface OneShotOptions extends StartOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly capabilities?: string;
  readonly timeout?: string;
}

/** Options of `run` that mean nothing without a workflow file. */
const ofFiles = ['param', 'input', 'context', 'contextFile', 'maxVisits', 'overrides'] as const;

/** Those that mean nothing with one. */
const ofAgents = ['model', 'capabilities', 'timeout'] as const;

/** Throws `E_USAGE` for an option that would do nothing. */
export function refuseIdleOptions(options: OneShotOptions): void {
  const isOneShot = options.agent !== undefined;
  const idle = (isOneShot ? ofFiles : ofAgents).find((name) => options[name] !== undefined);
  if (idle === undefined) return;
  const flag = `--${idle.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const why = isOneShot ? 'with `--agent`' : 'without `--agent`';
  throw new MailroomError('E_USAGE', `\`${flag}\` does nothing ${why}`, 'remove it');
}

/** Runs one agent with a task, and prints its answer at the end. */
export async function runOneShot(
  context: Context,
  agent: string,
  text: string,
  options: OneShotOptions,
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
  return startFound(context, found, options, { only: null, given: {}, answers: 'work' });
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
