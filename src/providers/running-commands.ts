import type { JsonObject } from '../kernel/json.ts';
import { eventsAsTheyCome } from './stream.ts';
import type { CommandLine } from './provider.ts';

/** What an event reports about a command of the agent. */
export interface CommandNews {
  readonly id: string;
  readonly is: 'running' | 'over';
}

/**
 * Part of a command line: which commands run, according to the program's events. `news`: from one
 * event; null: the event concerns no command.
 */
export function runningCommands(
  limitMs: number | null,
  news: (event: JsonObject) => CommandNews | null,
): Pick<CommandLine, 'commands'> {
  if (limitMs === null) return {};
  const running = new Set<string>();
  const follow = eventsAsTheyCome((event) => {
    const change = news(event);
    if (change?.is === 'running') running.add(change.id);
    else if (change !== null) running.delete(change.id);
  });
  return {
    commands: {
      limitMs,
      running(output) {
        follow(output);
        return running;
      },
    },
  };
}
