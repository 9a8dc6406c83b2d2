import { eventsIn } from './events.ts';
import type { Calls } from '../kernel/cost.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ProviderOptions } from './options.ts';
import { formatDuration } from '../kernel/duration.ts';
import { eventsAsTheyCome } from './stream.ts';
import type { CommandLine, Exit, Finish, Invocation, Outcome, Provider } from './provider.ts';

/** The parts that differ between CLIs. */
interface StreamingCli
  extends Pick<Provider, 'restrict'>, Partial<Pick<Provider, 'notEnforced' | 'obeys' | 'idleMs'>> {
  readonly start: (invocation: Invocation, options: ProviderOptions) => CommandLine;
  readonly read: (exit: Exit, invocation: Invocation, options: ProviderOptions, now: number) => Outcome;
  readonly said: (events: readonly JsonObject[]) => string;
  readonly calls?: (events: readonly JsonObject[]) => Calls;
  /** Whether an event is the final one, or (false) shows work after it; null: neither. */
  readonly isFinal: (event: JsonObject) => boolean | null;
}

/**
 * An agent program that prints its events as JSON, resumes conversations and accepts MCP servers by
 * name.
 */
export function streamProvider(options: ProviderOptions, { isFinal, calls, ...cli }: StreamingCli): Provider {
  return {
    name: options.name,
    sessions: true,
    notEnforced: [],
    mcp: true,
    ...cli,
    start: (invocation) => ({ ...cli.start(invocation, options), finish: finishBy(isFinal, options) }),
    read: (exit, invocation, now) => {
      const outcome = cli.read(exit, invocation, options, now);
      return exit.ended === 'lingered' ? withLingering(outcome, options) : outcome;
    },
    said: (stdout) => cli.said(eventsIn(stdout)),
    ...(calls && { calls: (stdout: string) => calls(eventsIn(stdout)) }),
  };
}

function finishBy(isFinal: StreamingCli['isFinal'], { exitGraceMs }: ProviderOptions): Finish {
  let finished = false;
  const take = eventsAsTheyCome((event) => void (finished = isFinal(event) ?? finished), 'early');
  return {
    graceMs: exitGraceMs,
    isFinal(output) {
      take(output);
      return finished;
    },
  };
}

function withLingering(outcome: Outcome, { name, exitGraceMs }: ProviderOptions): Outcome {
  const grace = formatDuration(exitGraceMs);
  const words = `${name} printed its final event, did not exit within ${grace}, and was ended`;
  if (outcome.is === 'done') return { ...outcome, warnings: [...(outcome.warnings ?? []), words] };
  return { ...outcome, reason: { ...outcome.reason, text: `${outcome.reason.text}; ${words}` } };
}
