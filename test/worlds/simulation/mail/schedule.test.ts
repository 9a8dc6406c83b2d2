import process from 'node:process';
import { expect, it } from 'vitest';
import { chunks } from '../seeds.ts';
import { mail, parallel } from './schedule.ts';

const schedules = Number(process.env['MAILROOM_SCHEDULES'] ?? 50);

it.each(chunks(mail, schedules, 50))(
  'keeps the properties of the mail from seed %i on',
  async (_from, play) => {
    const tally = await play();
    expect(tally.failures).toEqual([]);
    // A run in which nothing happens would keep every property.
    expect(tally.counts.get('turns')).toBeGreaterThan(tally.schedules * 3);
    expect(tally.counts.get('crashes')).toBeGreaterThan(0);
    // What happens is told in docs/contributing/states.md; that all of it happens takes more schedules: `npm run simulate`.
    const { untold, reachedAfterAll } = mail.coverage(tally.transitions.keys());
    expect([...untold, ...reachedAfterAll]).toEqual([]);
  },
);

// Conflicts with further work are rare.
it.each(chunks(parallel, schedules * 3, 150))(
  'merges and lands all work in some order that respects what was merged, from seed %i on',
  async (_from, play) => {
    const tally = await play();
    expect(tally.failures).toEqual([]);
    const missed = [
      'conflicts',
      'for a person',
      'with further work',
      'landings',
      'behind others',
      'sub-threads',
    ].filter((what) => tally.counts.get(what) === 0);
    expect(missed).toEqual([]);
  },
);
