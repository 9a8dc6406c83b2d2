import { afterEach, beforeEach, vi } from 'vitest';

const clocks = ['Date', 'performance'] as const;
const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const;

let stopped = 0;

/** In each test of this block, timers and clocks move only by `vi.advanceTimersByTime`. */
export function virtualTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: [...clocks, ...timers] });
    stopped = 0;
    const moving = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => moving() + stopped);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/**
 * Lets time pass in which this process does not run. `suspended`: with its machine, so that the
 * monotonic clock stands still, too.
 */
export function stopFor(ms: number, how: 'stopped' | 'suspended'): void {
  if (how === 'stopped') stopped += ms;
  vi.setSystemTime(Date.now() + ms);
}
