import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runningTime } from '../../src/process/running-time.ts';
import { holdUp, pause } from './support.ts';

const least = 4_000;

it('time in which this process is busy, or waits for another one, is running time', async () => {
  const release = runningTime.use();
  try {
    // Until the thread that watches is there.
    for (let counted = 0; counted < least - 1_000; await pause(1_100)) {
      const running = runningTime.now();
      holdUp(least);
      counted = runningTime.now() - running;
    }
    for (const block of [() => holdUp(least), () => void execFileSync('sleep', [String(least / 1_000)])]) {
      const [running, suspended] = [runningTime.now(), runningTime.suspended()];
      block();
      expect(runningTime.now() - running).toBeGreaterThan(least - 1_000);
      expect(runningTime.suspended()).toBe(suspended);
    }
  } finally {
    release();
  }
});
