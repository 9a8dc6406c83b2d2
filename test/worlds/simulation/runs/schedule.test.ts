import process from 'node:process';
import { expect, it } from 'vitest';
import { peace } from '../faults.ts';
import { Random } from '../random.ts';
import { chunks } from '../seeds.ts';
import { randomWorkflow } from './definitions.ts';
import { runs } from './schedule.ts';
import { RunWorld } from './world.ts';

const schedules = Number(process.env['MAILROOM_RUN_SCHEDULES'] ?? 80);

it.each(chunks(runs, schedules, 40))('keeps the properties of runs from seed %i on', async (_from, play) => {
  const tally = await play();
  expect(tally.failures).toEqual([]);
  // Runs in which nothing happens would keep every property.
  expect(tally.counts.get('launches')).toBeGreaterThan(tally.schedules * 3);
  expect(tally.counts.get('crashes')).toBeGreaterThan(0);
  expect(tally.counts.get('reported')).toBeGreaterThan(0);
  expect(tally.kinds.get('SUCCEEDED')).toBeGreaterThan(tally.schedules / 20);
  expect(tally.transitions.get('Runs: RUNNING → RUNNING (paused)')).toBeGreaterThan(0);
  // What happens is told in docs/contributing/states.md; that all of it happens takes more schedules: `npm run simulate:runs`.
  const { untold, reachedAfterAll } = runs.coverage(tally.transitions.keys());
  expect([...untold, ...reachedAfterAll]).toEqual([]);
});

it('continues a run whose journal was cut off with the artifacts that exist', () => {
  const { floor } = new RunWorld(randomWorkflow(new Random(1)), new Random(1), peace);
  floor.made.set('once', 'of the second iteration').set('twice', 'gone').set('never', null);
  floor.rewind((path) => (path === 'once' ? 'of the first iteration' : null));
  expect([...floor.made]).toEqual([['once', 'of the first iteration']]);
});

it('requires no artifact of a worker whose stall counts as incomplete', () => {
  const workflows = Array.from({ length: 2_000 }, (_none, seed) => randomWorkflow(new Random(seed)));
  const inputs = workflows.flatMap(({ body: { steps } }) =>
    steps.flatMap(({ inputs: taken }) =>
      taken.map((input) => ({ ...input, stall: steps.find(({ id }) => id === input.from)?.stall?.policy })),
    ),
  );
  const stalling = inputs.filter(({ stall }) => stall === 'incomplete');
  expect(stalling.length).toBeGreaterThan(10);
  expect(stalling.filter(({ required }) => required)).toEqual([]);
});
