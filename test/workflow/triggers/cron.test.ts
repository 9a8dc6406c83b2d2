import { expect, it } from 'vitest';
import type { Trigger } from '../../../src/workflow/automation.ts';
import { decideTriggers, runEnded } from '../../../src/workflow/machine/triggers/decide.ts';
import { noMemory } from '../../../src/workflow/machine/triggers/memory.ts';
import { nextTime } from '../../../src/workflow/triggers/cron.ts';

/**
 * The times in UTC at which a line starts runs in Berlin in the night in which its clocks change, of a host that looks
 * when it must, and whose runs take no time.
 */
function times(expression: string, evening: string): string[] {
  const trigger: Trigger = { name: 'clock', kind: 'cron', expression, timezone: 'Europe/Berlin' };
  const from = Date.parse(evening);
  const found: string[] = [];
  let memory = noMemory;
  for (let now: number | null = from; now !== null && now <= from + 6 * 3_600_000;) {
    const decided = decideTriggers(memory, [trigger], { now, fresh: () => 'run', next: nextTime });
    memory = runEnded(decided.memory, 'run', now);
    if (decided.start !== null) found.push(new Date(now).toISOString().slice(11, 16));
    now = decided.wake;
  }
  return found;
}

const spring = '2026-03-28T22:59:00Z';
const autumn = '2026-10-24T22:59:00Z';

const hours = ['23:00', '00:00', '01:00', '02:00', '03:00', '04:00'];
const quarters = hours.flatMap((hour) => ['00', '15', '30', '45'].map((minute) => hour.slice(0, 3) + minute));

it.each([
  ['30 2 * * *', ['01:00']],
  ['0,30 2 * * *', ['01:00']],
  ['30 2,14 * * *', ['01:00']],
  ['0,30 1,2 * * *', ['00:00', '00:30', '01:00']],
  ['*/20 2 * * *', ['01:00']],
  ['10-40/15,50 2 * * *', ['01:00']],
  ['0 * * * *', hours],
  ['*/15 * * * *', quarters],
])('%s, of an hour that is missing, fires at %j', (line, expected) => {
  expect(times(line, spring)).toEqual(expected);
});

it.each([
  ['30 2 * * *', ['00:30']],
  ['0,30 2 * * *', ['00:00', '00:30']],
  ['30 2,14 * * *', ['00:30']],
  ['*/20 2 * * *', ['00:00', '00:20', '00:40']],
  ['10-40/15,50 2 * * *', ['00:10', '00:25', '00:40', '00:50']],
  ['30 1-2 * * *', ['23:30', '00:30', '01:30']],
  ['0 * * * *', hours],
  ['*/15 * * * *', quarters],
])('%s, of an hour that occurs twice, fires at %j', (line, expected) => {
  expect(times(line, autumn)).toEqual(expected);
});

it('never fires on a day that there is not', () => {
  expect(nextTime({ kind: 'cron', expression: '0,30 2 30 2 *', timezone: null } as never, 0)).toBeNull();
});
