import { describe, expect, it, vi } from 'vitest';
import { watchFinish } from '../../../src/process/supervision/limits.ts';
import { virtualTime } from './virtual-time.ts';

/** Output is final where it says so. */
function watched(graceMs: number) {
  const reached = vi.fn();
  const isFinal = (output: string) => output === 'final';
  return { reached, ...watchFinish({ graceMs, isFinal }, reached) };
}

describe('a program after its final event', () => {
  virtualTime();

  it('has its grace to exit, however often it repeats the event', () => {
    const { output, reached, isFinished } = watched(1000);
    output('work');
    vi.advanceTimersByTime(5000);
    expect(isFinished()).toBe(false);
    for (let i = 0; i < 9; i++) {
      output('final');
      vi.advanceTimersByTime(111);
    }
    expect(reached).not.toHaveBeenCalled();
    expect(isFinished()).toBe(true);
    vi.advanceTimersByTime(2);
    expect(reached).toHaveBeenCalledTimes(1);
  });

  it('has it again after it has worked again', () => {
    const { output, reached, isFinished } = watched(1000);
    output('final');
    vi.advanceTimersByTime(900);
    output('work');
    expect(isFinished()).toBe(false);
    vi.advanceTimersByTime(5000);
    output('final');
    vi.advanceTimersByTime(900);
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(reached).toHaveBeenCalledTimes(1);
  });

  it('may have exited before', () => {
    const { output, reached, stop } = watched(1000);
    output('final');
    stop();
    vi.advanceTimersByTime(5000);
    expect(reached).not.toHaveBeenCalled();
  });
});
