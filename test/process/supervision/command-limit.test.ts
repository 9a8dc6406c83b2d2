import { describe, expect, it, vi } from 'vitest';
import { watchCommands } from '../../../src/process/supervision/limits.ts';
import { virtualTime } from './virtual-time.ts';

/** Output is the names of the commands that run now. */
function watched(limitMs: number) {
  const reached = vi.fn();
  const running = (output: string) => new Set(output.split(' ').filter(Boolean));
  return { reached, ...watchCommands({ limitMs, running }, reached) };
}

describe('the time of one command', () => {
  virtualTime();

  it('is over once, when one has run for so long', () => {
    const { output, reached } = watched(1000);
    output('a');
    vi.advanceTimersByTime(999);
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5000);
    expect(reached).toHaveBeenCalledTimes(1);
  });

  it('begins anew with each, and those that run together have their own', () => {
    const { output, reached } = watched(1000);
    for (const running of ['a', '', 'b', 'b c', 'c', 'c d', '']) {
      output(running);
      vi.advanceTimersByTime(300);
    }
    expect(reached).not.toHaveBeenCalled();
    output('e');
    vi.advanceTimersByTime(900);
    output('e f');
    vi.advanceTimersByTime(101);
    expect(reached).toHaveBeenCalledTimes(1);
  });

  it('is no matter after the end, or while nothing runs', () => {
    const { output, stop, reached } = watched(1000);
    output('');
    vi.advanceTimersByTime(5000);
    output('a');
    stop();
    vi.advanceTimersByTime(5000);
    expect(reached).not.toHaveBeenCalled();
  });
});
