import type { JsonObject } from '../kernel/json.ts';
import { eventsAsTheyCome } from './stream.ts';
import type { CommandLine } from './provider.ts';

/** What an event says of a command that the agent runs. */
export interface CommandNews {
  readonly id: string;
  readonly is: 'running' | 'over';
}

/** Part of a command line: which commands run, as far as the program tells. `news`: of one event; null: it says nothing of them. */
export function runningCommands(
  limitMs: number | null,
  news: (event: JsonObject) => CommandNews | null,
): Pick<CommandLine, 'commands'> {
  if (limitMs === null) return {};
  const running = new Set<string>();
  const follow = eventsAsTheyCome((event) => {
    const told = news(event);
    if (told?.is === 'running') running.add(told.id);
    else if (told !== null) running.delete(told.id);
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
