import { describe, expect, it, vi } from 'vitest';
import { watchLimits } from '../../../src/process/supervision/limits.ts';
import { virtualTime } from './virtual-time.ts';

const DAY_MS = 86_400_000;

describe('limits', () => {
  virtualTime();

  it('reports the total time once', () => {
    const reached = vi.fn();
    watchLimits({ totalMs: 1000, idleMs: null }, reached);
    vi.advanceTimersByTime(999);
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5000);
    expect(reached.mock.calls).toEqual([['total-timeout']]);
  });

  it('reports silence, which output puts off', () => {
    const reached = vi.fn();
    const watch = watchLimits({ totalMs: null, idleMs: 100 }, reached);
    for (let i = 0; i < 10; i++) {
      vi.advanceTimersByTime(90);
      watch.touch();
    }
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(reached.mock.calls).toEqual([['idle-timeout']]);
  });

  it('says total when both are over', () => {
    const reached = vi.fn();
    watchLimits({ totalMs: 100, idleMs: 100 }, reached);
    vi.advanceTimersByTime(300);
    expect(reached.mock.calls).toEqual([['total-timeout']]);
  });

  it('waits thirty days, longer than a timer can', () => {
    const reached = vi.fn();
    const time = { now: () => performance.now(), use: () => () => {} };
    watchLimits({ totalMs: 30 * DAY_MS, idleMs: null }, reached, time);
    vi.advanceTimersByTime(30 * DAY_MS - 1);
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10);
    expect(reached.mock.calls).toEqual([['total-timeout']]);
  });

  it('is silent after stop, and without limits', () => {
    const reached = vi.fn();
    watchLimits({ totalMs: 100, idleMs: 50 }, reached).stop();
    watchLimits({ totalMs: null, idleMs: null }, reached);
    vi.advanceTimersByTime(60_000);
    expect(reached).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
