import { describe, expect, it, vi } from 'vitest';
import { Pulse, RunningTime } from '../../src/process/running-time.ts';
import { watchFinish, watchLimits } from '../../src/process/supervision/limits.ts';
import { watchCommands } from '../../src/process/supervision/limits.ts';
import { after } from '../../src/process/time-watch.ts';
import { stopFor, virtualTime } from './supervision/virtual-time.ts';

const hour = 3_600_000;

/** A clock that is asked every second, as far as this process runs. */
function clock() {
  let [wall, monotonic] = [Date.UTC(2026, 0, 1), 500];
  const time = new RunningTime({ wall: () => wall, monotonic: () => monotonic });
  const pass = (wallMs: number, monotonicMs = wallMs) => {
    wall += wallMs;
    monotonic += monotonicMs;
    return [time.now(), time.suspended()];
  };
  return { pass };
}

describe('running time', () => {
  it('passes as the clocks do', () => {
    const { pass } = clock();
    expect(pass(900)).toEqual([900, 0]);
    expect(pass(1_100)).toEqual([2_000, 0]);
  });

  it.each([
    ['stopped', hour, hour],
    ['suspended', hour, 10],
    ['set forward', 48 * hour, 700],
  ])('stands still while this process or its machine is %s', (_, wall, monotonic) => {
    const { pass } = clock();
    pass(1_000);
    const [running, suspended] = pass(wall, monotonic);
    expect(running).toBe(1_000 + (monotonic < 2_000 ? monotonic : 0));
    expect(suspended).toBe(wall - (monotonic < 2_000 ? monotonic : 0));
    expect(pass(1_000)).toEqual([(running ?? 0) + 1_000, suspended]);
  });

  it.each([
    ['is busy or waits for the disk', 60_000, 60_000, 0],
    ['is stopped', 250, 250, 59_750],
    ['is busy, and then stopped', 20_000, 20_000, 40_000],
    ['has just been busy, as far as the pulse was felt', 59_800, 59_800, 0],
  ])('passes as a thread without work sees it while this process %s', (_, felt, running, suspended) => {
    let [now, pulse] = [0, 0];
    const time = new RunningTime({
      wall: () => now,
      monotonic: () => now,
      pulse: { start: () => {}, ms: () => pulse },
    });
    now += 60_000;
    pulse += felt;
    expect([time.now(), time.suspended()]).toEqual([running, suspended]);
  });

  it('begins its thread later where the machine has no room for one', () => {
    let tries = 0;
    const pulse = new Pulse((): never => {
      tries += 1;
      throw new Error('EAGAIN');
    });
    pulse.start();
    pulse.start();
    expect([tries, pulse.ms()]).toEqual([2, 0]);
  });

  it('takes no notice of a clock that is set back, or by less than a second', () => {
    const { pass } = clock();
    pass(1_000);
    expect(pass(-hour, 1_000)).toEqual([2_000, 0]);
    expect(pass(1_400, 1_000)).toEqual([3_000, 0]);
  });
});

describe.each(['stopped', 'suspended'] as const)('a process that was %s', (machine) => {
  virtualTime();

  /** `begin`: begins a time of 8 s, of which 7 s pass before the interruption. */
  it.each<[string, (reached: () => void) => { stop(): void }]>([
    ['the time of a process', (reached) => watchLimits({ totalMs: 8_000, idleMs: null }, reached)],
    ['its silence', (reached) => watchLimits({ totalMs: null, idleMs: 8_000 }, reached)],
    ['the time to end', (reached) => after(8_000, reached)],
    [
      'the time of a command',
      (reached) => {
        const watch = watchCommands({ limitMs: 8_000, running: () => new Set(['a']) }, reached);
        watch.output('a');
        return watch;
      },
    ],
    [
      'the time to exit',
      (reached) => {
        const watch = watchFinish({ graceMs: 8_000, isFinal: () => true }, reached);
        watch.output('final');
        return watch;
      },
    ],
  ])('has not used up %s', (_, begin) => {
    const reached = vi.fn();
    begin(reached);
    vi.advanceTimersByTime(7_000);
    stopFor(hour, machine);
    vi.advanceTimersByTime(900);
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_200);
    expect(reached).toHaveBeenCalledTimes(1);
  });

  it('may be stopped again and again', () => {
    const reached = vi.fn();
    watchLimits({ totalMs: 8_000, idleMs: 8_000 }, reached);
    for (let i = 0; i < 6; i += 1) {
      vi.advanceTimersByTime(1_000);
      stopFor(hour, machine);
    }
    vi.advanceTimersByTime(1_000);
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(8_000);
    expect(reached).toHaveBeenCalledTimes(1);
  });
});
