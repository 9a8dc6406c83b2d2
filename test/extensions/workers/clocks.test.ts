import { expect, it } from 'vitest';
import { WrongClocks } from '../../../src/extensions/workers/clocks.ts';
import type { FoundWorkers, WorkerStatus } from '../../../src/extensions/workers/list.ts';

const now = Date.UTC(2026, 0, 1);
const minute = 60_000;
const lease = 2 * minute;

/** A worker whose last word is of this moment of its clock. */
function worker(id: string, ahead: number, state: WorkerStatus['state'] = 'active'): WorkerStatus {
  const time = new Date(now + ahead).toISOString();
  const takes = { roles: [], steps: [], labels: [], slots: 1, running: [], parked: [] };
  return { id, host: 'far', login: 'far', version: '1', since: time, lastSeen: time, state, ...takes };
}

function found(known: readonly WorkerStatus[], queueAhead = 0): FoundWorkers {
  return { known, foreign: [], queueTime: now + queueAhead };
}

const advice = 'set the clocks of all hosts by NTP';

it('names the clocks that are off by more than a minute, and than the age of what a worker said', () => {
  const known = [
    worker('fast', 2 * minute),
    worker('slow', -60 * minute),
    worker('quiet', -lease - minute),
    worker('near', minute),
    worker('gone', -60 * minute, 'silent'),
  ];
  expect(new WrongClocks().look(found(known), lease, now)).toEqual([
    `the clock of the worker fast on far is 2m ahead of the one here; ${advice}`,
    `the clock of the worker slow on far is 1h behind the one here; ${advice}`,
  ]);
});

it('names the clock of this host by that of the queue, in either direction', () => {
  const clocks = new WrongClocks();
  const own = (queueAhead: number) => clocks.look(found([], queueAhead), lease, now);
  expect(own(60 * minute)).toEqual([`the clock of this host is 1h behind that of the queue; ${advice}`]);
  expect(own(minute)).toEqual([]);
  expect(own(-2 * minute)).toEqual([`the clock of this host is 2m ahead of that of the queue; ${advice}`]);
});

it('keeps its words for as long as a clock is off', () => {
  const clocks = new WrongClocks();
  const [first] = clocks.look(found([worker('slow', -60 * minute)]), lease, now);
  expect(clocks.look(found([worker('slow', -61 * minute)]), lease, now)).toEqual([first]);
  expect(clocks.look(found([worker('slow', 0)]), lease, now)).toEqual([]);
  expect(clocks.look(found([worker('slow', -61 * minute)]), lease, now)).not.toEqual([first]);
});
