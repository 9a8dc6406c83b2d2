import type { Finish } from '../../providers/provider.ts';
import { runningTime } from '../running-time.ts';
import type { ProcessSpec } from '../types.ts';
import { watchTime, type Time } from '../time-watch.ts';

export type LimitWatch = ReturnType<typeof watchLimits>;

/**
 * Calls `reached` once, when the process has run for `totalMs` or has been silent for `idleMs`,
 * while this process ran: neither clock changes nor suspension count. Any length works, also beyond
 * the 24.8 days of a timer.
 */
export function watchLimits(
  limits: { readonly totalMs: number | null; readonly idleMs: number | null },
  reached: (limit: 'total-timeout' | 'idle-timeout') => void,
  time: Time = runningTime,
) {
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
    /** Records output from the process. */
    touch(): void {
      active = time.now();
    },
    stop: () => watch.stop(),
  };
}

export type FinishWatch = ReturnType<typeof watchFinish>;

/** Calls `reached` once, when the program has not exited in time after its final event. */
export function watchFinish({ graceMs, isFinal }: Finish, reached: () => void) {
  let since: number | null = null;
  const left = (): number => (since === null ? Infinity : since + graceMs - runningTime.now());
  const watch = watchTime(left, reached);
  return {
    /** Receives standard output as it arrives. */
    output: (output: string): void => {
      // Whatever else it prints then does not count.
      since = isFinal(output) ? (since ?? runningTime.now()) : null;
      watch.again();
    },
    /** Whether the program has printed its final event, and has not worked since. */
    isFinished: () => since !== null,
    stop: () => watch.stop(),
  };
}

/**
 * Calls `reached` once, when a command of the program exceeds its time limit, by the time
 * for which this process runs, and according to the program's own reports.
 */
export function watchCommands(
  { limitMs, running }: NonNullable<ProcessSpec['commands']>,
  reached: () => void,
) {
  const began = new Map<string, number>();
  const left = (): number => Math.min(...began.values()) + limitMs - runningTime.now();
  const watch = watchTime(left, reached);
  return {
    /** Receives standard output as it arrives. */
    output: (output: string): void => {
      const now = runningTime.now();
      const commands = running(output);
      for (const id of began.keys()) if (!commands.has(id)) began.delete(id);
      for (const id of commands) if (!began.has(id)) began.set(id, now);
      watch.again();
    },
    stop: () => watch.stop(),
  };
}
