import { expect, it } from 'vitest';
import { Waking } from '../../../../src/extensions/workers/queue/bull.ts';

/** A host that looks after each of these pauses, in milliseconds. */
function looks(...pauses: readonly number[]): boolean[] {
  let now = Date.UTC(2026, 0, 1);
  const waking = new Waking(() => now);
  return pauses.map((pause) => {
    now += pause;
    return waking.isRecent();
  });
}

it('leases count again five seconds after a host has woken', () => {
  expect(looks(1_000, 1_000, 8 * 3_600_000, 1_000, 3_900, 100)).toEqual([
    false,
    false,
    true,
    true,
    true,
    false,
  ]);
});

it('a slow look, or a clock that is set back, is not a suspension', () => {
  expect(looks(5_000, 4_900, -3_600_000, 1_000)).toEqual([false, false, false, false]);
  expect(looks(6_000, -3_600_000, 1_000)).toEqual([true, false, false]);
});
