import { runningTime, type RunningTime } from './running-time.ts';

/** Node would turn a timer beyond 24.8 days into one of a millisecond. */
const longest = 3_600_000;

/** A clock that counts only the time for which this process runs. */
export type Time = Pick<RunningTime, 'now' | 'use'>;

/**
 * Calls `reached` once, when `left` returns nothing more: milliseconds of `time`, so that neither
 * clock changes nor suspension count; Infinity: no end. Call `again` when less time may be left
 * than before.
 */
export function watchTime(
  left: () => number,
  reached: () => void,
  time: Time = runningTime,
): { again(): void; stop(): void } {
  let release: (() => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    clearTimeout(timer);
    release?.();
  };
  const again = (): void => {
    clearTimeout(timer);
    const wait = left();
    if (stopped || wait === Infinity) return;
    release ??= time.use();
    // Output that waits to be read, because this process was busy or suspended, counts before the
    // decision.
    if (wait <= 0) setImmediate(judge);
    else timer = setTimeout(again, Math.min(Math.ceil(wait), longest));
  };
  const judge = (): void => {
    if (stopped) return;
    if (left() > 0) return again();
    stop();
    reached();
  };
  again();
  return {
    again,
    stop,
  };
}

/** Calls `reached` once, after so many milliseconds of running time. */
export function after(ms: number, reached: () => void): { stop(): void } {
  const end = runningTime.now() + ms;
  return watchTime(() => end - runningTime.now(), reached);
}
