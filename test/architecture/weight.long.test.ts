import { expect, it } from 'vitest';
import { reached, readSources, weigh } from '../../scripts/weigh.ts';

it('is no heavier than scripts/weights.json allows; `npm run weigh -- --lower` lowers it', () => {
  const counts = new Map(weigh(readSources(), readSources('test')).map(({ name, count }) => [name, count]));
  const heavier = Object.entries(reached()).flatMap(([name, limit]) => {
    const count = counts.get(name);
    return count !== undefined && count <= limit ? [] : [`${name}: ${String(count)}, not ${String(limit)}`];
  });
  expect(heavier).toEqual([]);
});
