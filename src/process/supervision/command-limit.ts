import { runningTime } from '../running-time.ts';
import { watchTime } from '../time-watch.ts';
import type { ProcessSpec } from '../types.ts';

export interface CommandWatch {
  /** Receives standard output as it arrives. */
  readonly output: (output: string) => void;
  readonly stop: () => void;
}

/**
 * Calls `reached` once, when a command of the program exceeds its time limit, by the time
 * for which this process runs, and according to the program's own reports.
 */
export function watchCommands(
  { limitMs, running }: NonNullable<ProcessSpec['commands']>,
  reached: () => void,
): CommandWatch {
  const began = new Map<string, number>();
  const left = (): number => Math.min(...began.values()) + limitMs - runningTime.now();
  const watch = watchTime(left, reached);
  return {
    output(output) {
      const now = runningTime.now();
      const commands = running(output);
      for (const id of began.keys()) if (!commands.has(id)) began.delete(id);
      for (const id of commands) if (!began.has(id)) began.set(id, now);
      watch.again();
    },
    stop: () => watch.stop(),
  };
}
