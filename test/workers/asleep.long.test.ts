import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { engineOf } from '../../src/queue/engine.ts';
import { engines } from './servers.ts';

const lease = 1_000;
const job = { role: 'engineer', id: 't.t1.1.0.one' };

/** Controller and worker, which are both of this process, sleep; the queue does not. */
const standStill = () => void execFileSync('sleep', ['6.5']);

describe.each(engines)('through $name', (engine) => {
  test.each(['renews', 'ends'])(
    'a worker that slept with its controller for longer than the lease %s',
    async (how) => {
      if (engine.folder === null) throw new Error(engine.lacks);
      const server = await engine.open(engine.folder);
      const opening = await engineOf(server.url);
      const address = { url: server.url, name: randomUUID(), roles: ['engineer'], lease, onChange: () => {} };
      const [queue, source] = [opening.openQueue(address), opening.openSource(address, [])];
      try {
        await queue.add(job, 'work', []);
        const held = await source.take();
        standStill();
        const [kept, state] = await Promise.all([
          how === 'renews' ? held?.renew() : held?.finish('result'),
          queue.look(job),
        ]);
        expect(kept).toBe(true);
        expect(state.is).not.toBe('lost');
        if (how === 'renews') expect(await held?.finish('result')).toBe(true);
        expect(await queue.look(job)).toMatchObject({ is: 'done', result: 'result' });
      } finally {
        await Promise.all([queue.close(), source.close()]);
        await server.close();
      }
    },
  );

  test('one that does not wake is found a little later', async () => {
    if (engine.folder === null) throw new Error(engine.lacks);
    const server = await engine.open(engine.folder);
    const opening = await engineOf(server.url);
    const address = { url: server.url, name: randomUUID(), roles: ['engineer'], lease, onChange: () => {} };
    const [queue, source] = [opening.openQueue(address), opening.openSource(address, [])];
    try {
      await queue.add(job, 'work', []);
      const held = await source.take();
      standStill();
      await expect.poll(() => queue.look(job), { timeout: 60_000 }).toMatchObject({ is: 'lost' });
      await queue.remove(job);
      expect(await held?.renew()).toBe(false);
      expect(await held?.finish('result')).toBe(false);
    } finally {
      await Promise.all([queue.close(), source.close()]);
      await server.close();
    }
  });
});
