import type { Finish } from '../../providers/provider.ts';
import { runningTime } from '../running-time.ts';
import { watchTime, type Time } from '../time-watch.ts';

export interface LimitWatch {
  /** Records output from the process. */
  touch(): void;
  stop(): void;
}

/**
 * Calls `reached` once, when the process has run for `totalMs` or has been silent for `idleMs`,
 * while this process ran: neither clock changes nor suspension count. Any length works, also beyond
 * the 24.8 days of a timer.
 */
export function watchLimits(
  limits: { readonly totalMs: number | null; readonly idleMs: number | null },
  reached: (limit: 'total-timeout' | 'idle-timeout') => void,
  time: Time = runningTime,
): LimitWatch {
  const start = time.now();
  let active = start;
  const total = (): number => (limits.totalMs ?? Infinity) - (time.now() - start);
  const idle = (): number => (limits.idleMs ?? Infinity) - (time.now() - active);
  const watch = watchTime(
    () => Math.min(total(), idle()),
    () => reached(total() <= 0 ? 'total-timeout' : 'idle-timeout'),
    time,
  );
  return {
    touch() {
      active = time.now();
    },
    stop: () => watch.stop(),
  };
}

export interface FinishWatch {
  /** Receives standard output as it arrives. */
  readonly output: (output: string) => void;
  /** Whether the program has printed its final event, and has not worked since. */
  readonly isFinished: () => boolean;
  readonly stop: () => void;
}

/** Calls `reached` once, when the program has not exited in time after its final event. */
export function watchFinish({ graceMs, isFinal }: Finish, reached: () => void): FinishWatch {
  let since: number | null = null;
  const left = (): number => (since === null ? Infinity : since + graceMs - runningTime.now());
  const watch = watchTime(left, reached);
  return {
    output(output) {
      // Whatever else it prints then does not count.
      since = isFinal(output) ? (since ?? runningTime.now()) : null;
      watch.again();
    },
    isFinished: () => since !== null,
    stop: () => watch.stop(),
  };
}
