import { expect, it } from 'vitest';
import { nextTime } from '../../../src/workflow/triggers/cron.ts';

/** The times in UTC at which a line fires in Berlin in the night in which its clocks change. */
function times(expression: string, evening: string): string[] {
  const from = Date.parse(evening);
  const found: string[] = [];
  for (let at = from; ;) {
    const next = nextTime({ kind: 'cron', expression, timezone: 'Europe/Berlin' } as never, at);
    if (next === null || next > from + 6 * 3_600_000) return found;
    found.push(new Date(next).toISOString().slice(11, 16));
    at = next;
  }
}

const spring = '2026-03-28T22:00:00Z';
const autumn = '2026-10-24T22:00:00Z';

it.each([
  ['30 2 * * *', ['01:00']],
  ['0,30 2 * * *', ['01:00']],
  ['30 2,14 * * *', ['01:00']],
  ['0,30 1,2 * * *', ['00:00', '00:30', '01:00']],
  ['*/30 2 * * *', []],
])('%s, of an hour that is missing, fires at %j', (line, expected) => {
  expect(times(line, spring)).toEqual(expected);
});

it.each([
  ['30 2 * * *', ['00:30']],
  ['0,30 2 * * *', ['00:00', '00:30']],
  ['30 2,14 * * *', ['00:30']],
  ['*/30 2 * * *', ['00:00', '00:30', '01:00', '01:30']],
])('%s, of an hour that occurs twice, fires at %j', (line, expected) => {
  expect(times(line, autumn)).toEqual(expected);
});

it('never fires on a day that there is not', () => {
  expect(nextTime({ kind: 'cron', expression: '0,30 2 30 2 *', timezone: null } as never, 0)).toBeNull();
});
