import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { HeldJob, JobQueue } from '../../../src/extensions/workers/queue/channel.ts';
import { openQueue, openSource } from '../../../src/extensions/workers/queue/bull.ts';
import { redisEngine } from './servers.ts';

const lease = 1_000;
const job = { role: 'engineer', id: 't.t1.1.0.one' };

/** Controller and worker, which are both of this process, sleep; the queue does not. */
const standStill = () => void execFileSync('sleep', ['6.5']);

/** Both ends of a queue at a server of its own, and a job that the worker has taken. */
async function using(act: (queue: JobQueue, held: HeldJob) => Promise<void>): Promise<void> {
  if (redisEngine.folder === null) throw new Error(redisEngine.lacks);
  const server = await redisEngine.open(redisEngine.folder);
  const address = { url: server.url, name: randomUUID(), roles: ['engineer'], lease, onChange: () => {} };
  const [queue, source] = [openQueue(address), openSource(address, [])];
  try {
    await queue.add(job, 'work', []);
    const held = await source.take();
    if (held === null) throw new Error('the job was not given');
    await act(queue, held);
  } finally {
    await Promise.all([queue.close(), source.close()]);
    await server.close();
  }
}

describe('through Redis', () => {
  test.each(['renews', 'ends'])(
    'a worker that slept with its controller for longer than the lease %s',
    (how) =>
      using(async (queue, held) => {
        standStill();
        const [kept, state] = await Promise.all([
          how === 'renews' ? held.renew() : held.finish('result'),
          queue.look(job),
        ]);
        expect(kept).toBe(true);
        expect(state.is).not.toBe('lost');
        if (how === 'renews') expect(await held.finish('result')).toBe(true);
        expect(await queue.look(job)).toMatchObject({ is: 'done', result: 'result' });
      }),
  );

  test('one that does not wake is found a little later, and cannot come back', () =>
    using(async (queue, held) => {
      standStill();
      await expect.poll(() => queue.look(job)).toMatchObject({ is: 'lost' });
      expect(await held.renew()).toBe(false);
      await queue.remove(job);
      expect(await held.renew()).toBe(false);
      expect(await held.finish('result')).toBe(false);
    }));
});
