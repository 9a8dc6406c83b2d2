import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { playSchedule } from './schedule.ts';
import { count, emptyTally } from './tally.ts';

const schedules = Number(process.env['MAILROOM_RUN_SCHEDULES'] ?? 160);
const first = Number(process.env['MAILROOM_SEED'] ?? 1);
const chunk = 40;

describe('the host of a run under random schedules', () => {
  for (let from = first; from < first + schedules; from += chunk) {
    it(`keeps its properties from seed ${String(from)} on`, { timeout: 120_000 }, async () => {
      const tally = emptyTally();
      const last = Math.min(from + chunk, first + schedules);
      for (let seed = from; seed < last; seed += 1) count(tally, await playSchedule(seed));
      expect(tally.failures).toEqual([]);
      // Runs in which nothing happens would keep every property.
      expect(tally.launches).toBeGreaterThan(tally.schedules * 3);
      expect(tally.crashes).toBeGreaterThan(0);
      expect(tally.statuses.get('SUCCEEDED')).toBeGreaterThan(tally.schedules / 20);
    });
  }
});
