import type { ProgressView } from './progress-lines.ts';
import type { Terminal } from './terminal.ts';

/** An activity that runs until it ends or a signal stops it. */
interface Ending {
  /** Printed while it stops. */
  readonly stopping: string;
  /** Printed when the program ends at once: what to do next. */
  readonly atOnce: string;
  /** Stops it in good order. */
  readonly end: () => void;
}

/**
 * Waits for `over`. The first signal stops the activity in good order; the second ends the program
 * at once, with exit code 130. `signalled`: a signal stopped it.
 */
export async function untilEnd<T>(
  terminal: Terminal,
  progress: ProgressView,
  { stopping, atOnce, end }: Ending,
  over: () => Promise<T>,
): Promise<{ readonly value: T; readonly signalled: boolean }> {
  let signals = 0;
  const forget = terminal.onSignal(() => {
    signals += 1;
    if (signals === 1) {
      progress.say(`${stopping}. Press Ctrl-C again to quit immediately.`);
      end();
      return;
    }
    void progress.close();
    terminal.complain(`${atOnce}\n`);
    terminal.exit(130);
  });
  try {
    return { value: await over(), signalled: signals > 0 };
  } finally {
    forget();
  }
}
