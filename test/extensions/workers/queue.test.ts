import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  mostBytes,
  type HeldJob,
  type JobQueue,
  type JobSource,
  type JobState,
} from '../../../src/extensions/workers/queue/channel.ts';
import { MemoryQueue } from './memory-queue.ts';
import { publishedLabels } from '../../../src/extensions/workers/queue/board.ts';
import { openQueue, openSource } from '../../../src/extensions/workers/queue/bull.ts';
import { redisEngine, type TestServer } from './servers.ts';

/*
 * What every queue keeps, whatever lies behind it.
 */

/** Leases, in milliseconds: of jobs that are lost, of one that is renewed beside them, of all others. */
const [short, renewed, long] = [1_000, 3_000, 60_000];
const job = { role: 'engineer', id: 't.t1.1.0.one' };
const other = { role: 'engineer', id: 't.t2.1.0.two' };

/** A queue that is open on both sides. */
interface Bed {
  readonly queue: JobQueue;
  source(labels?: readonly string[], roles?: readonly string[], lease?: number): JobSource;
  /** Moves a clock that does not move alone. */
  tick(): void;
  close(): Promise<void>;
}

function memoryBed(): Bed {
  let now = 0;
  const memory = new MemoryQueue(() => now);
  const onChange = () => {};
  return {
    queue: memory.queue({ onChange }),
    source: (labels = [], roles = ['engineer'], lease = long) =>
      memory.source({ roles, labels, lease, onChange }),
    tick: () => void (now += 10),
    close: async () => {},
  };
}

function realBed({ url }: TestServer): Bed {
  const address = { url, name: randomUUID(), lease: short, onChange: () => {} };
  const sources: JobSource[] = [];
  const queue = openQueue({ ...address, roles: ['engineer', 'qa'] });
  return {
    queue,
    source: (labels = [], roles = ['engineer'], lease = long) => {
      const source = openSource({ ...address, roles, lease }, labels);
      sources.push(source);
      return source;
    },
    tick: () => {},
    close: async () => {
      await Promise.all([queue, ...sources].map((one) => one.close()));
    },
  };
}

// As they are built, whole turns run through them.
const kinds = [
  { name: 'memory', engine: null },
  { name: 'Redis', engine: redisEngine },
];

describe.each(kinds)('the queue in $name', ({ engine }) => {
  let server: TestServer | null = null;
  let bed: Bed;
  beforeAll(async () => {
    if (engine !== null && engine.folder !== null) server = await engine.open(engine.folder);
  });
  afterAll(() => server?.close());
  beforeEach(({ skip }) => {
    if (engine !== null && server === null) skip(engine.lacks);
    bed = server === null ? memoryBed() : realBed(server);
  });
  afterEach(() => bed.close());

  async function becomes(is: JobState['is'], name = job): Promise<JobState> {
    for (;;) {
      const state = await bed.queue.look(name);
      if (state.is === is) return state;
      bed.tick();
    }
  }

  async function taken(source = bed.source()): Promise<HeldJob> {
    const held = await source.take();
    expect(held).not.toBeNull();
    return held!;
  }

  test('a job that was never added is missing', async () => {
    expect(await bed.queue.look(job)).toEqual({ is: 'missing' });
    expect(await bed.source().take()).toBeNull();
  });

  test('a job added twice is one job, with what it carried first', async () => {
    await bed.queue.add(job, { first: true }, []);
    await bed.queue.add(job, { second: true }, []);
    const source = bed.source();
    expect(await taken(source)).toMatchObject({ ...job, data: { first: true } });
    expect(await source.take()).toBeNull();
  });

  test('one worker holds a job, and says which it is', async () => {
    await bed.queue.add(job, {}, []);
    expect(await bed.queue.look(job)).toEqual({ is: 'waiting' });
    const held = await taken();
    expect(await bed.source().take()).toBeNull();
    await held.note({ host: 'one' });
    expect(await bed.queue.look(job)).toEqual({
      is: 'running',
      note: { host: 'one' },
      stopping: false,
      granted: null,
    });
  });

  test('a result is taken once, and a finished job cannot begin again', async () => {
    await bed.queue.add(job, {}, []);
    const held = await taken();
    expect(await held.finish({ is: 'first' })).toBe(true);
    expect(await held.finish({ is: 'second' })).toBe(false);
    expect(await bed.queue.look(job)).toEqual({ is: 'done', result: { is: 'first' }, bytes: 14 });
    await bed.queue.add(job, {}, []);
    expect(await bed.source().take()).toBeNull();
  });

  test('a job whose worker was silent for longer than the lease is lost to it', async () => {
    await bed.queue.add(job, {}, []);
    const held = await taken(bed.source([], ['engineer'], short));
    await becomes('lost');
    expect(await held.renew()).toBe(false);
    expect(await held.finish({ is: 'late' })).toBe(false);
    // Its next attempt is another job.
    expect(await bed.source().take()).toBeNull();
    expect(await bed.queue.look(job)).toEqual({ is: 'lost', note: null });
  });

  test('a job is kept for as long as its worker renews it, and another one is lost', async () => {
    await bed.queue.add(job, {}, []);
    const held = await taken(bed.source([], ['engineer'], renewed));
    await bed.queue.add(other, {}, []);
    await taken(bed.source([], ['engineer'], renewed));
    while ((await bed.queue.look(other)).is !== 'lost') {
      bed.tick();
      expect(await held.renew()).toBe(true);
    }
    expect(await bed.queue.look(job)).toMatchObject({ is: 'running' });
    expect(await held.finish({})).toBe(true);
  });

  test('a job that is put back goes to the next worker, and its first one cannot end it', async () => {
    await bed.queue.add(job, {}, []);
    const first = await taken();
    await first.putBack();
    expect(await bed.queue.look(job)).toEqual({ is: 'waiting' });
    const second = await taken();
    expect(await first.finish({ is: 'first' })).toBe(false);
    expect(await second.finish({ is: 'second' })).toBe(true);
    expect(await bed.queue.look(job)).toEqual({ is: 'done', result: { is: 'second' }, bytes: 15 });
  });

  test('a stop reaches the worker, and a note does not undo it', async () => {
    await bed.queue.add(job, {}, []);
    const held = await taken();
    expect(await held.asked()).toEqual({ stopping: false, granted: null });
    await bed.queue.stop(job);
    await held.note({ host: 'one' });
    expect(await held.asked()).toMatchObject({ stopping: true });
    expect(await bed.queue.look(job)).toMatchObject({ is: 'running', stopping: true });
  });

  test('a job is removed unless a worker holds it', async () => {
    await bed.queue.add(job, {}, []);
    await bed.queue.remove(job);
    expect(await bed.queue.look(job)).toEqual({ is: 'missing' });
    await bed.queue.add(other, {}, []);
    const held = await taken();
    await bed.queue.remove(other);
    expect(await bed.queue.look(other)).toMatchObject({ is: 'running' });
    await held.finish({});
    await bed.queue.remove(other);
    expect(await bed.queue.look(other)).toEqual({ is: 'missing' });
    expect(await held.asked()).toMatchObject({ stopping: true });
  });

  test('a lease does not depend on the clocks of the hosts', async () => {
    await bed.queue.add(job, {}, []);
    for (const offMs of [3_600_000, -7_200_000]) {
      vi.spyOn(Date, 'now').mockReturnValue(Date.now() + offMs);
      const held = await taken();
      expect(await held.renew()).toBe(true);
      vi.restoreAllMocks();
      expect(await bed.queue.look(job)).toMatchObject({ is: 'running' });
      await held.putBack();
    }
    await taken(bed.source([], ['engineer'], short));
    await becomes('lost');
  });

  test('a result comes back as it was, whatever an agent has printed', async () => {
    const result = { stdout: 'a NUL \u0000, half a letter \ud800, and 🙂' };
    await bed.queue.add(job, {}, []);
    await (await taken()).finish(result);
    expect(await bed.queue.look(job)).toMatchObject({ is: 'done', result });
  });

  test('a result that is too large is not read, but measured', async () => {
    const result = 'x'.repeat(mostBytes);
    await bed.queue.add(job, {}, []);
    await (await taken()).finish(result);
    expect(await bed.queue.look(job)).toEqual({ is: 'done', result: null, bytes: result.length + 2 });
    await bed.queue.remove(job);
    expect(await bed.queue.look(job)).toEqual({ is: 'missing' });
  });

  test('a worker takes the jobs of its roles whose labels it has', async () => {
    const qa = { role: 'qa', id: 't.t3.1.0.three' };
    await bed.queue.add(job, {}, ['gpu']);
    await bed.queue.add(qa, {}, []);
    expect(await bed.source(['linux']).take()).toBeNull();
    expect(await taken(bed.source(['linux'], ['engineer', 'qa']))).toMatchObject(qa);
    expect(await taken(bed.source(['linux', 'gpu']))).toMatchObject(job);
  });

  test('a worker leaves the jobs of a role to others', async () => {
    await bed.queue.add(job, {}, []);
    expect(await bed.source().take(new Set([job.role]))).toBeNull();
    expect(await taken()).toMatchObject(job);
  });
});

test('the labels of a queue in Redis are published for as long as it has jobs', async ({ skip }) => {
  const { folder } = redisEngine;
  if (folder === null) return skip(redisEngine.lacks);
  const server = await redisEngine.open(folder);
  const client = new Redis(server.url);
  const [name, role] = [randomUUID(), '+agents+play+gpu'];
  const queue = openQueue({ url: server.url, name, roles: [], lease: long, onChange: () => {} });
  try {
    const [one, two] = [
      { role, id: 'one' },
      { role, id: 'two' },
    ];
    for (const each of [one, two]) await queue.add(each, {}, ['gpu']);
    await queue.remove(one);
    expect(await publishedLabels(client, name)).toEqual(new Map([[role, ['gpu']]]));
    await queue.remove(two);
    expect(await publishedLabels(client, name)).toEqual(new Map());
    expect(await client.keys(`mailroom:${name}:*`)).toEqual([]);
  } finally {
    client.disconnect();
    await queue.close();
    await server.close();
  }
});
