import process from 'node:process';
import { expect, it } from 'vitest';
import { playSchedule } from '../schedule.ts';
import { chunks } from '../seeds.ts';
import { runs } from './schedule.ts';

const schedules = Number(process.env['MAILROOM_RUN_SCHEDULES'] ?? 160);

it.each(chunks(runs, schedules, 40))(
  'keeps the properties of runs from seed %i on',
  { timeout: 120_000 },
  async (_from, play) => {
    const tally = await play();
    expect(tally.failures).toEqual([]);
    // Runs in which nothing happens would keep every property.
    expect(tally.counts.get('launches')).toBeGreaterThan(tally.schedules * 3);
    expect(tally.counts.get('crashes')).toBeGreaterThan(0);
    expect(tally.kinds.get('SUCCEEDED')).toBeGreaterThan(tally.schedules / 20);
    // What happens is told in docs/states.md; that all of it happens takes more schedules: `npm run simulate:runs`.
    const { untold, reachedAfterAll } = runs.coverage(tally.transitions.keys());
    expect([...untold, ...reachedAfterAll]).toEqual([]);
  },
);

it.each([
  ['the artifact that exists, after the journal was cut off before a later iteration', 2362],
  ['no artifact of a worker that stalls, and whose dependents take what it has', 4242],
])('expects %s', async (_what, seed) => {
  expect((await playSchedule(runs, seed)).problems).toEqual([]);
});
