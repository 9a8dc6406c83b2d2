import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { bedFixture, played, type AttackBed } from './attack-bed.ts';

/*
 * Whatever somebody writes into the queue ends neither workers nor controllers.
 */

/** The same where an attempt may fail: its turn is repeated, as a controller does. */
async function playedAgain(bed: AttackBed, controller: ReturnType<AttackBed['controller']>, turn: string) {
  for (let attempt = 0; ; attempt += 1) {
    const followed = controller.start(`${turn}${'x'.repeat(attempt)}`);
    let outcome: string | null = null;
    void followed.ended.then(({ is }) => (outcome = is));
    await bed.until(() => {
      for (const { name } of bed.saved) bed.finish(name.id);
      return outcome !== null;
    });
    if (outcome === 'done') return;
    expect(attempt).toBeLessThan(3);
  }
}

describe('what somebody writes into Redis', () => {
  const at = bedFixture();

  const jobs = (bed: AttackBed) => `mailroom:${bed.project}.engineer`;

  /** Something that is no job, by what is wrong with it. */
  const foreign: readonly [string, (redis: Redis, bed: AttackBed) => Promise<unknown>][] = [
    ...(
      [
        ['data that is not JSON', { data: '{bad' }],
        ['options that are not JSON', { data: '{}', opts: '{bad' }],
        ['options that are null', { data: '{}', opts: 'null' }],
        ['progress that is not JSON', { data: '{}', opts: '{}', progress: '{bad' }],
        ['data that is nested deep', { data: '['.repeat(100_000) + ']'.repeat(100_000), opts: '{}' }],
        ['data of odd types', { data: '[null,7,"x"]', opts: '{}' }],
        ['no data', { x: '1' }],
      ] as const
    ).map(
      ([what, hash]) =>
        [
          `a job with ${what}`,
          async (redis: Redis, bed: AttackBed) => {
            await redis.hset(`${jobs(bed)}:bad1`, { name: 'turn', timestamp: '1', ...hash });
            await redis.lpush(`${jobs(bed)}:wait`, 'bad1');
          },
        ] as [string, (redis: Redis, bed: AttackBed) => Promise<unknown>],
    ),
    [
      'a job that is a string',
      async (redis, bed) => {
        await redis.set(`${jobs(bed)}:bad1`, 'x');
        await redis.lpush(`${jobs(bed)}:wait`, 'bad1');
      },
    ],
    ['a job that is not there', (redis, bed) => redis.lpush(`${jobs(bed)}:wait`, 'bad1')],
    ...(
      [
        'wait',
        'active',
        'delayed',
        'prioritized',
        'events',
        'stalled',
        'meta',
        'marker',
        'completed',
      ] as const
    ).map(
      (name) =>
        [
          `\`${name}\` of another type`,
          (redis: Redis, bed: AttackBed) =>
            retyped(redis, `${jobs(bed)}:${name}`, name === 'stalled' ? 'list' : 'set'),
        ] as [string, (redis: Redis, bed: AttackBed) => Promise<unknown>],
    ),
    ...(['workers', 'orders', 'labels', 'labelled:engineer'] as const).map(
      (name) =>
        [
          `\`${name}\` of the project of another type`,
          (redis: Redis, bed: AttackBed) => retyped(redis, `mailroom:${bed.project}:${name}`, 'list'),
        ] as [string, (redis: Redis, bed: AttackBed) => Promise<unknown>],
    ),
    [
      'labels of a queue with an impossible name',
      (redis, bed) =>
        redis.hset(`mailroom:${bed.project}:labels`, { '+agents+a:b': '[]', '+agents+': '{bad' }),
    ],
  ];

  async function retyped(redis: Redis, key: string, type: 'set' | 'list'): Promise<void> {
    const both = redis.multi().del(key);
    await (type === 'set' ? both.sadd(key, 'x') : both.lpush(key, 'x')).exec();
  }

  test.each(foreign)('%s ends nobody, and the next turn runs', async (_, write) => {
    const { bed, server } = at;
    const redis = new Redis(server.url);
    try {
      await write(redis, bed);
      const first = bed.worker('one');
      const controller = bed.controller();
      await playedAgain(bed, controller, 't1');
      // The same again, where a worker is started with it.
      await first.close();
      await write(redis, bed);
      bed.worker('two');
      await playedAgain(bed, controller, 't2');
      expect(bed.said.join('\n')).not.toContain('bug');
    } finally {
      redis.disconnect();
    }
  });

  test('a job that BullMQ cannot read is set aside, and named once', async () => {
    const { bed, server } = at;
    const redis = new Redis(server.url);
    try {
      await redis.hset(`${jobs(bed)}:bad1`, { name: 'turn', data: '{bad', opts: '{}' });
      await redis.lpush(`${jobs(bed)}:wait`, 'bad1');
      bed.worker('one');
      await played(bed, bed.controller(), 't1');
      const named = bed.said.filter((text) => text.includes("is not Mailroom's"));
      expect(named).toHaveLength(1);
      const [key = ''] = /mailroom:\S+:set-aside:\S+/.exec(named[0]!) ?? [];
      expect(await redis.hget(key, 'data')).toBe('{bad');
    } finally {
      redis.disconnect();
    }
  });
});
