import { describe, expect, test } from 'vitest';
import { sign } from '../../../src/extensions/workers/queue/signed.ts';
import { workerKeys } from './credentials.ts';
import { bedFixture, played, type AttackBed } from './attack-bed.ts';

/*
 * Somebody who can write the queue, and has no key, or that of one worker: old jobs never run again,
 * and what one side says does not count for another.
 */

const past = 16_000;

describe('through Redis', () => {
  const at = bedFixture();

  test('an old job is not run again by the worker that ran it', async () => {
    const { bed } = at;
    bed.worker('one');
    const saved = await played(bed, bed.controller(), 't1');
    await bed.replay(saved);
    await bed.until(() => bed.said.some((text) => text.includes('was not begun again')));
    expect(bed.starts).toBe(1);
  });

  test.each(['one', 'two'])(
    'an old job is not run again by a worker that is started later as `%s`',
    async (name) => {
      const { bed } = at;
      const first = bed.worker('one');
      const saved = await played(bed, bed.controller(), 't1');
      await first.close();
      bed.worker(name);
      await bed.replay(saved);
      expect(await bed.outwaited(saved.name)).toMatchObject({ result: { kind: 'left' } });
      await bed.until(() => bed.said.some((text) => text.includes('its controller has not confirmed it')));
      expect(bed.log.filter((line) => line.startsWith('place'))).toHaveLength(1);
      expect(bed.starts).toBe(1);
    },
  );

  test('an old job touches no checkout in which a turn runs', async () => {
    const { bed } = at;
    const controller = bed.controller();
    const first = bed.worker('one');
    const saved = await played(bed, controller, 't1');
    await first.close();
    bed.worker('two');
    const later = controller.start('t3');
    await bed.until(() => bed.starts === 2);
    await bed.replay(saved);
    await bed.outwaited(saved.name);
    expect(bed.log.filter((line) => line.startsWith('place'))).toHaveLength(2);
    bed.finish(bed.saved.at(-1)!.name.id);
    expect(await later.ended).toMatchObject({ is: 'done' });
  });

  test('two jobs of one checkout are run one after the other', async () => {
    const { bed } = at;
    bed.worker('one');
    const controller = bed.controller();
    const first = controller.start('t1');
    await bed.until(() => bed.starts === 1);
    const [one] = bed.saved;
    const second = controller.start('t2');
    await bed.until(() => second.assigned !== null);
    expect(bed.log.filter((line) => line.startsWith('place'))).toHaveLength(1);
    bed.finish(one!.name.id);
    await first.ended;
    await bed.until(() => bed.starts === 2);
    bed.finish(bed.saved.at(-1)!.name.id);
    await second.ended;
    expect(bed.log.map((line) => line.split(' ', 1)[0])).toEqual([
      'place',
      'start',
      'end',
      'place',
      'start',
      'end',
    ]);
  });

  test('a turn that a worker leaves runs on another one, by a job of its own', async () => {
    const { bed } = at;
    const controller = bed.controller();
    const first = bed.worker('one');
    const followed = controller.start('t1');
    await bed.until(() => bed.starts === 1);
    first.end('stop');
    bed.worker('two');
    await bed.until(() => bed.starts === 2);
    const [old, now] = bed.saved;
    expect(old?.name).toEqual(now?.name);
    expect(old?.data).not.toMatchObject({ nonce: (now!.data as { nonce: string }).nonce });
    bed.finish(now!.name.id);
    expect(await followed.ended).toMatchObject({ is: 'done' });
  });

  test('a turn that waits while its controller is away runs when the next one asks', async () => {
    const { bed } = at;
    const first = bed.controller();
    const begun = first.start('t1');
    await bed.until(() => bed.saved.length === 1);
    await bed.becomes(bed.saved[0]!.name, 'waiting');
    first.leave('t1');
    await begun.ended;
    bed.worker('one');
    await bed.outwaited(bed.saved[0]!.name);
    expect(bed.starts).toBe(0);
    const followed = bed.controller().start('t1', begun);
    await bed.until(() => bed.starts === 1);
    bed.finish(bed.saved.at(-1)!.name.id);
    expect(await followed.ended).toMatchObject({ is: 'done' });
  });

  test('a controller that is killed between record and answer confirms the same worker', async () => {
    const { bed } = at;
    const worker = bed.worker('one');
    const first = bed.controller();
    const begun = first.start('t1');
    await bed.until(() => begun.assigned !== null);
    first.leave('t1');
    await begun.ended;
    const followed = bed.controller().start('t1', begun);
    await bed.until(() => bed.starts === 1);
    expect(followed.assigned?.id ?? begun.assigned?.id).toBe(worker.id);
    bed.finish(bed.saved[0]!.name.id);
    expect(await followed.ended).toMatchObject({ is: 'done' });
  });

  test('a job that another worker has in the meantime is not begun there', async () => {
    const { bed } = at;
    bed.worker('two');
    const recorded = { host: 'one', id: 'one.gone', login: 'one' };
    const first = bed.controller();
    const begun = first.start('t1');
    await bed.until(() => begun.queued !== null);
    first.leave('t1');
    await begun.ended;
    const [saved] = bed.saved;
    if (saved !== undefined) await bed.intruder.remove(saved.name);
    const name = { role: 'engineer', id: begun.queued!.job };
    const about = {
      kind: 'job',
      job: name.id,
      nonce: begun.queued!.nonce,
      expires: Date.now() + past,
    } as const;
    const data = saved?.data ?? sign(bed.credentials, about, {});
    await bed.intruder.add(name, data, []);
    const followed = bed.controller().start('t1', { queued: begun.queued, assigned: recorded });
    expect(await followed.ended).toMatchObject({ is: 'later', reason: { code: 'E_WORKER' } });
    expect(bed.starts).toBe(0);
  });

  test.each<[string, (bed: AttackBed) => AttackBed['credentials'], string]>([
    ['by a worker', (bed) => workerKeys('one', bed.credentials), 'its signature is wrong'],
    [
      'for another project',
      (bed) => ({ ...bed.credentials, project: 'other' }),
      'it was signed for another project',
    ],
  ])('a job that was signed %s is refused', async (_, by, why) => {
    const { bed } = at;
    bed.worker('one');
    const name = { role: 'engineer', id: 'thread.t1.1.0.forged' };
    const about = { kind: 'job', job: name.id, nonce: 'n', expires: Date.now() + past } as const;
    await bed.intruder.add(name, sign(by(bed), about, {}), []);
    await bed.becomes(name, 'done');
    await bed.until(() => bed.said.some((text) => text.includes(`was refused: ${why}`)));
    expect(bed.starts).toBe(0);
  });

  test('a result of 50 MB is refused by its size, and the next turn runs', async () => {
    const { bed } = at;
    const controller = bed.controller();
    const followed = controller.start('t1');
    await bed.until(() => bed.saved.length === 1);
    await bed.becomes(bed.saved[0]!.name, 'waiting');
    await bed.finishes({ x: 'x'.repeat(50_000_000) });
    expect(await followed.ended).toMatchObject({
      is: 'later',
      reason: {
        code: 'E_WORKER',
        text: 'the result of its worker was refused: it has 50000008 bytes, and the queue carries at most 1000000',
      },
      usage: { usd: null, tokens: null },
    });
    bed.worker('one');
    await played(bed, controller, 't2');
  });

  test('a result of another worker, or of another kind, is refused', async () => {
    const { bed } = at;
    const first = bed.worker('one');
    const controller = bed.controller();
    const begun = controller.start('t1');
    await bed.until(() => bed.starts === 1);
    controller.leave('t1');
    await begun.ended;
    const [{ name } = { name: { role: '', id: '' } }] = bed.saved;
    bed.finish(name.id);
    const { result } = (await bed.becomes(name, 'done')) as unknown as {
      result: { body: { worker: { id: string } } };
    };
    expect(result.body.worker.id).toBe(first.id);
    const other = { host: 'x', id: 'two.x', login: 'x' };
    const followed = bed.controller().start('t1', { queued: begun.queued, assigned: other });
    expect(await followed.ended).toMatchObject({
      is: 'later',
      reason: { text: expect.stringContaining('it is of another worker') as string },
    });
  });
});
