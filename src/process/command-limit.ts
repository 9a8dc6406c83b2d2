import type { ProcessSpec } from './types.ts';

const LONGEST_TIMER_MS = 3_600_000;

export interface CommandWatch {
  /** Standard output, as it comes. */
  readonly told: (output: string) => void;
  readonly stop: () => void;
}

/**
 * Calls `reached` once, when a command of the program has run for longer than it may, by the monotonic clock and as far as
 * the program has told of it.
 */
export function watchCommands(
  { limitMs, running }: NonNullable<ProcessSpec['commands']>,
  reached: () => void,
): CommandWatch {
  const began = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const left = (): number => Math.min(...began.values()) + limitMs - performance.now();
  const arm = (): void => {
    clearTimeout(timer);
    const wait = left();
    if (stopped || wait === Infinity) return;
    // Output that waits to be read, because this process was busy or suspended, comes before the verdict.
    if (wait <= 0) setImmediate(judge);
    else timer = setTimeout(arm, Math.min(Math.ceil(wait), LONGEST_TIMER_MS));
  };
  const judge = (): void => {
    if (stopped) return;
    if (left() > 0) return arm();
    stopped = true;
    reached();
  };
  return {
    told(output) {
      const now = performance.now();
      const commands = running(output);
      for (const id of began.keys()) if (!commands.has(id)) began.delete(id);
      for (const id of commands) if (!began.has(id)) began.set(id, now);
      arm();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
