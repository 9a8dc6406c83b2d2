import { expect, it } from 'vitest';
import { QueuedAgents } from '../../../../src/extensions/workers/controller/queued-agents.ts';
import { QueuedNotes } from '../../../../src/extensions/workers/controller/queued-notes.ts';
import type { AgentJob } from '../../../../src/host/runner/runner.ts';
import type { Travel } from '../../../../src/extensions/workers/travel.ts';
import type { JobQueue, JobState } from '../../../../src/extensions/workers/queue/channel.ts';
import type { Outcome } from '../../../../src/providers/provider.ts';
import { invocation } from '../../../providers/samples.ts';
import { controllerKeys } from '../credentials.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';

const never = () => expect.fail('nothing runs');
const options = {
  version: 'test',
  credentials: controllerKeys,
  patience: 1_000,
  newId: never,
  now: () => 0,
  elapsed: () => 0,
};
const ends: Readonly<Record<string, JobState>> = {
  'its worker was silent for too long': { is: 'lost', note: null },
  'the queue has lost it': { is: 'missing' },
  'its result was forged': { is: 'done', result: { body: {}, signature: 'x' }, bytes: 40 },
};

/** What comes of a job that an earlier host has handed over. */
async function endOf(how: string, more: Partial<AgentJob> = {}): Promise<Outcome> {
  const running: JobState = { is: 'running', note: null, stopping: false, granted: null };
  const states = [running, ends[how]!];
  const queue: JobQueue = {
    add: never,
    look: () => Promise.resolve(states.shift() ?? never()),
    grant: never,
    stop: never,
    remove: never,
    problem: () => null,
    close: () => Promise.resolve(),
  };
  const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null };
  const queued = { job: 'thread.t7.1.0', nonce: 'n' };
  const notes = new QueuedNotes(new MemoryDisk(() => 0), '.mailroom/queued');
  return new Promise<Outcome>((resolve) => {
    const ended = (_key: string, came: Outcome) => resolve(came);
    const events = { ready: never, assigned: never, ended };
    const agents = new QueuedAgents({ ...options, notes, travel: {} as Travel }, events, () => queue);
    agents.start({ key: 'a', provider: 'own', invocation: invocation(), ...limits, queued, ...more });
  });
}

it.each(Object.keys(ends))('does not know what an agent has used when %s', async (how) => {
  expect(await endOf(how)).toMatchObject({ is: 'later', usage: { usd: null, tokens: null } });
});

it.each(Object.keys(ends))('knows that a program has used nothing when %s', async (how) => {
  const program = { argv: ['true'], stdin: '', files: {}, capabilities: null };
  expect(await endOf(how, { program })).toMatchObject({ is: 'later', usage: { usd: 0, tokens: 0 } });
});

it('removes a job that nothing needs, and its refs once its worker can send none; one that is noted later stays', async () => {
  const refs = new Set(['begin']);
  const looked = new Set<string>();
  let state: JobState = { is: 'running', note: null, stopping: false, granted: null };
  let changed = () => {};
  const queue: JobQueue = {
    add: () => expect.fail('nothing is added'),
    look: ({ id }) => {
      looked.add(id);
      return Promise.resolve(state);
    },
    grant: never,
    stop: () => {
      // Its worker was about to report.
      state = { is: 'running', note: null, stopping: true, granted: null };
      queueMicrotask(() => {
        refs.add('end');
        state = { is: 'done', result: null, bytes: 4 };
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
  const agents = new QueuedAgents(
    { ...options, notes, travel: travel as Travel },
    { ready: never, assigned: never, ended: never },
    (onChange) => {
      changed = onChange;
      return queue;
    },
  );
  agents.clean(new Set());
  // Placed there by another program.
  const placed = { role: 'engineer', id: 'thread.t2.1.0' };
  notes.add(placed);
  await agents.cleared();
  changed();
  await agents.cleared();
  expect([...refs]).toEqual([]);
  expect(notes.all()).toEqual([placed]);
  expect([...looked]).toEqual(['thread.t1.1.0']);
});

it('adds a job only once the journal has its nonce, and none that was stopped before', async () => {
  const travel: Partial<Travel> = {
    pack: () => Promise.resolve({ ok: true, value: { commit: 'c'.repeat(40), head: 'c'.repeat(40) } }),
    send: () => Promise.resolve({ ok: true, value: undefined }),
    read: () => '',
  };
  const entered = { turn: 't1', role: 'own', thread: 'thread', branch: 'b' };
  const happened: string[] = [];
  const queue: JobQueue = {
    add: ({ id }) => Promise.resolve(void happened.push(`added ${id}`)),
    look: () => new Promise(() => {}),
    grant: never,
    stop: never,
    remove: () => Promise.resolve(),
    problem: () => null,
    close: () => Promise.resolve(),
  };
  const asked: (() => void)[] = [];
  const ready = (): Promise<void> => new Promise((resolve) => asked.push(resolve));
  const events = {
    ready: (key: string) => {
      happened.push(`${key} is ready`);
      asked.shift()?.();
    },
    assigned: never,
    ended: (key: string) => void happened.push(`${key} ended`),
  };
  const notes = new QueuedNotes(new MemoryDisk(() => 0), '.mailroom/queued');
  let ids = 0;
  const agents = new QueuedAgents(
    { ...options, newId: () => `id${String((ids += 1))}`, notes, travel: travel as Travel },
    events,
    () => queue,
  );
  const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null, entered };
  const start = async (key: string) => {
    const begins = ready();
    agents.start({ key, provider: 'own', invocation: invocation(), ...limits });
    await begins;
    // All that could still go on without a release has gone on.
    await new Promise(setImmediate);
  };
  await start('a');
  expect(happened).toEqual(['a is ready']);
  agents.release('a');
  await new Promise(setImmediate);
  expect(happened.slice(1)).toEqual([expect.stringMatching(/^added /)]);
  await start('b');
  agents.stop('b');
  agents.release('b');
  await new Promise(setImmediate);
  expect(happened.slice(2)).toEqual(['b is ready', 'b ended']);
});

it.each(['pack', 'send'] as const)(
  'holds a turn that this machine cannot %s now, as not begun',
  async (what) => {
    const fault = { ok: false, problem: 'No space left on device' } as const;
    const travel: Partial<Travel> = {
      pack: () => Promise.resolve({ ok: true, value: { commit: 'c', head: 'c' } }),
      send: () => Promise.resolve({ ok: true, value: undefined }),
      [what]: () => Promise.resolve(fault),
    };
    const notes = new QueuedNotes(new MemoryDisk(() => 0), '.mailroom/queued');
    const entered = { turn: 't1', role: 'own', thread: 'thread', branch: 'b' };
    const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null, entered };
    const queue = { close: () => Promise.resolve() } as JobQueue;
    const held = await new Promise<string>((resolve) => {
      const events = {
        ready: never,
        assigned: never,
        ended: never,
        held: (key: string, problem: string) => resolve(`${key}: ${problem}`),
      };
      const agents = new QueuedAgents(
        { ...options, newId: () => 'id', notes, travel: travel as Travel },
        events,
        () => queue,
      );
      agents.start({ key: 'a', provider: 'own', invocation: invocation(), ...limits });
    });
    expect(held).toBe('a: No space left on device');
  },
);
