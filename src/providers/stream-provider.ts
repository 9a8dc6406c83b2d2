import { eventsIn } from './events.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ProviderOptions } from './options.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider } from './provider.ts';

/** The parts that differ between CLIs. */
interface StreamingCli
  extends Pick<Provider, 'restrict'>, Partial<Pick<Provider, 'notEnforced' | 'obeys' | 'idleMs'>> {
  readonly start: (invocation: Invocation, options: ProviderOptions) => CommandLine;
  readonly read: (exit: Exit, invocation: Invocation, options: ProviderOptions, now: number) => Outcome;
  readonly said: (events: readonly JsonObject[]) => string;
}

/**
 * An agent program that prints its events as JSON, resumes conversations and accepts MCP servers by
 * name.
 */
export function streamProvider(options: ProviderOptions, cli: StreamingCli): Provider {
  return {
    name: options.name,
    sessions: true,
    notEnforced: [],
    mcp: true,
    ...cli,
    start: (invocation) => cli.start(invocation, options),
    read: (exit, invocation, now) => cli.read(exit, invocation, options, now),
    said: (stdout) => cli.said(eventsIn(stdout)),
  };
}
