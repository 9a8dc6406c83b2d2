import process from 'node:process';
import { expect, it } from 'vitest';
import { chunks } from '../../../worlds/simulation/seeds.ts';
import { subject } from './schedule.ts';

const schedules = Number(process.env['MAILROOM_SCHEDULES'] ?? 50);

it.each(chunks(subject, schedules, 50))(
  'loses nothing and starts nothing twice on workers from seed %i on',
  async (_from, play) => {
    const tally = await play();
    expect(tally.failures).toEqual([]);
    expect(tally.counts.get('turns on workers')).toBeGreaterThan(tally.schedules * 2);
    expect(tally.counts.get('crashes')).toBeGreaterThan(0);
  },
);
