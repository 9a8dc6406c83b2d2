import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { playSchedule, type Result } from './schedule.ts';

const schedules = Number(process.env['MAILROOM_SCHEDULES'] ?? 500);
const first = Number(process.env['MAILROOM_SEED'] ?? 1);
const chunk = 50;

/** One line a failing schedule: it plays again by `npm run simulate -- --seed <n>`. */
function failures(results: readonly Result[]): string[] {
  return results
    .filter(({ problems }) => problems.length > 0)
    .map(
      ({ seed, protocol, problems }) =>
        `seed ${String(seed)} (${protocol}): ${problems.slice(0, 3).join('; ')}`,
    );
}

describe('the mail host under random schedules', () => {
  for (let from = first; from < first + schedules; from += chunk) {
    it(`keeps its properties from seed ${String(from)} on`, { timeout: 120_000 }, () => {
      const count = Math.min(chunk, first + schedules - from);
      const results = Array.from({ length: count }, (_none, index) => playSchedule(from + index));
      expect(failures(results)).toEqual([]);
      const total = (of: (result: Result) => number) => results.reduce((sum, result) => sum + of(result), 0);
      // A run in which nothing happens would keep every property.
      expect(total(({ turns }) => turns)).toBeGreaterThan(count * 3);
      expect(total(({ crashes }) => crashes)).toBeGreaterThan(0);
    });
  }
});
