import { expect, it } from 'vitest';
import { happenings } from '../../../src/workflow/machine/happenings.ts';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import { World } from './world.ts';

it('an attempt ends with its worker, when it is put back, and with its run', () => {
  const world = new World('a');
  const attempts = (event: RunEvent) =>
    happenings(world.state, event).attempts.map(({ attempt, from, to, result }) => [
      attempt,
      to - from,
      result,
    ]);
  const at = world.state.now + 5_000;
  const key = world.key('a');
  expect(attempts({ at, type: 'role-waits', key, waits: true })).toEqual([]);
  expect(attempts({ at, type: 'put-back', key })).toEqual([[1, 5_000, null]]);
  expect(attempts({ at, type: 'put-back', key })).toEqual([]);
  expect(attempts({ at, type: 'started', path: 'a', provider: null, reserves: null, role: null })).toEqual(
    [],
  );
  const swept = { type: 'swept', scope: '', skipped: [], cancelled: ['a'] } as const;
  expect(attempts({ at: at + 1_000, ...swept })).toEqual([[2, 1_000, null]]);
});
