import { expect, it } from 'vitest';
import { QueuedAgents } from '../../../src/host/runner/queued-agents.ts';
import { QueuedNotes } from '../../../src/host/runner/queued-notes.ts';
import type { Travel } from '../../../src/host/runner/travel.ts';
import type { JobQueue, JobState } from '../../../src/queue/channel.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

it('removes a job that nothing needs, and its refs once its worker can send none', async () => {
  const refs = new Set(['begin']);
  let state: JobState = { is: 'running', note: null, stopping: false };
  let changed = () => {};
  const queue: JobQueue = {
    add: () => expect.fail('nothing is added'),
    look: () => Promise.resolve(state),
    stop: () => {
      // Its worker was about to report.
      state = { is: 'running', note: null, stopping: true };
      queueMicrotask(() => {
        refs.add('end');
        state = { is: 'done', result: null };
        changed();
      });
      return Promise.resolve();
    },
    remove: () => {
      state = { is: 'missing' };
      return Promise.resolve();
    },
    problem: () => null,
    close: () => Promise.resolve(),
  };
  const travel: Partial<Travel> = {
    drop: () => {
      refs.clear();
      return Promise.resolve({ ok: true, value: undefined });
    },
  };
  const notes = new QueuedNotes(new MemoryDisk(() => 0), '.mailroom/queued');
  notes.add({ role: 'engineer', id: 'thread.t1.1.0' });
  const never = () => expect.fail('nothing runs');
  const agents = new QueuedAgents(
    {
      version: 'test',
      notes,
      travel: travel as Travel,
      key: 'the key of all hosts in this test',
      patience: 1_000,
      newId: never,
      now: () => 0,
      elapsed: () => 0,
    },
    { ready: never, assigned: never, ended: never },
    (onChange) => {
      changed = onChange;
      return queue;
    },
  );
  agents.clean(new Set());
  await agents.cleared();
  expect([...refs]).toEqual([]);
  expect(notes.all()).toEqual([]);
});
