import type { Terminal } from './terminal.ts';

/** What runs until it is over or a person ends it. */
interface Ending {
  /** Says that it is being ended. */
  readonly stopping: string;
  /** What to do next, printed when the program ends at once. */
  readonly atOnce: string;
  /** Ends it in good order. */
  readonly end: () => void;
}

/**
 * Waits for `over`. The first signal ends what runs in good order; the second ends the program at once, with exit code 130.
 * `signalled`: a person ended it.
 */
export async function untilEnd<T>(
  terminal: Terminal,
  progress: { say(text: string): void; close(): void },
  { stopping, atOnce, end }: Ending,
  over: () => Promise<T>,
): Promise<{ readonly value: T; readonly signalled: boolean }> {
  let signals = 0;
  const forget = terminal.onSignal(() => {
    signals += 1;
    if (signals === 1) {
      progress.say(`${stopping}; again ends at once`);
      end();
      return;
    }
    progress.close();
    terminal.complain(`${atOnce}\n`);
    terminal.exit(130);
  });
  try {
    return { value: await over(), signalled: signals > 0 };
  } finally {
    forget();
  }
}
