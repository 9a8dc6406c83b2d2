import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Begun } from '../../src/operations/workers/begun.ts';
import { sign } from '../../src/queue/signed.ts';
import { workerKeys } from '../support/credentials.ts';
import { AttackBed } from './attack-bed.ts';
import { engines, postgresEngine, redisEngine, type TestEngine, type TestServer } from './servers.ts';

/*
 * Somebody who can write the queue, and has no key: old jobs run never again, nothing ends a worker
 * or a controller, and what one side says does not count for another.
 */

const past = 16_000;

/** A bed for each test of a suite, with a server for all of them. */
function bedFixture(engine: TestEngine): { readonly bed: AttackBed; readonly server: TestServer } {
  let server: TestServer | null = null;
  let bed: AttackBed | null = null;
  beforeAll(async () => {
    if (engine.folder !== null) server = await engine.open(engine.folder);
  });
  beforeEach(async ({ skip }) => {
    if (server === null) skip(`there is no ${engine.name} server`);
    bed = await AttackBed.open(server!);
  });
  afterEach(() => bed?.close());
  afterAll(() => server?.close());
  return {
    get bed() {
      return bed!;
    },
    get server() {
      return server!;
    },
  };
}

/** Plays one turn to its end, and returns how its job was added. */
async function played(bed: AttackBed, controller: ReturnType<AttackBed['controller']>, turn: string) {
  const followed = controller.start(turn);
  const before = bed.starts;
  await bed.until(() => bed.starts > before);
  bed.finish(bed.saved.at(-1)!.name.id);
  expect(await followed.ended).toMatchObject({ is: 'done' });
  return bed.saved.at(-1)!;
}

describe.each(engines)('through $name', (engine) => {
  const at = bedFixture(engine);

  test('an old job is not run again by the worker that ran it', { timeout: 20_000 }, async () => {
    const { bed } = at;
    bed.worker('one');
    const saved = await played(bed, bed.controller(), 't1');
    await bed.replay(saved);
    await bed.until(() => bed.said.some((text) => text.includes('was not begun again')));
    expect(bed.starts).toBe(1);
  });

  test.each(['one', 'two'])(
    'an old job is not run again by a worker that is started later as `%s`',
    { timeout: 20_000 },
    async (name) => {
      const { bed } = at;
      const first = bed.worker('one');
      const saved = await played(bed, bed.controller(), 't1');
      await first.close();
      bed.worker(name);
      await bed.replay(saved);
      expect(await bed.outwaited(saved.name)).toMatchObject({ result: { kind: 'left' } });
      expect(bed.said.at(-1)).toContain('its controller has not confirmed it');
      expect(bed.log.filter((line) => line.startsWith('place'))).toHaveLength(1);
      expect(bed.starts).toBe(1);
    },
  );

  test('an old job touches no checkout in which a turn runs', { timeout: 20_000 }, async () => {
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

  test('two jobs of one checkout are run one after the other', { timeout: 20_000 }, async () => {
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

  test(
    'a turn that a worker leaves runs on another one, by a job of its own',
    { timeout: 20_000 },
    async () => {
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
    },
  );

  test(
    'a turn that waits while its controller is away runs when the next one asks',
    { timeout: 20_000 },
    async () => {
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
    },
  );

  test(
    'a controller that is killed between record and answer confirms the same worker',
    { timeout: 20_000 },
    async () => {
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
    },
  );

  test('a job that another worker has in the meantime is not begun there', { timeout: 20_000 }, async () => {
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
  ])('a job that was signed %s is refused', { timeout: 20_000 }, async (_, by, why) => {
    const { bed } = at;
    bed.worker('one');
    const name = { role: 'engineer', id: 'thread.t1.1.0.forged' };
    const about = { kind: 'job', job: name.id, nonce: 'n', expires: Date.now() + past } as const;
    await bed.intruder.add(name, sign(by(bed), about, {}), []);
    await bed.becomes(name, 'done');
    await bed.until(() => bed.said.some((text) => text.includes(`was refused: ${why}`)));
    expect(bed.starts).toBe(0);
  });

  test('a result of another worker, or of another kind, is refused', { timeout: 20_000 }, async () => {
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

describe('what somebody writes into Redis', () => {
  const at = bedFixture(redisEngine);

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
    await redis.del(key);
    await (type === 'set' ? redis.sadd(key, 'x') : redis.lpush(key, 'x'));
  }

  test.each(foreign)('%s ends nobody, and the next turn runs', { timeout: 20_000 }, async (_, write) => {
    const { bed, server } = at;
    const redis = new Redis(server.url);
    try {
      await write(redis, bed);
      const first = bed.worker('one');
      const controller = bed.controller();
      await played(bed, controller, 't1');
      // The same again, where a worker is started with it.
      await first.close();
      await write(redis, bed);
      bed.worker('two', new Begun());
      await played(bed, controller, 't2');
      expect(bed.said.join('\n')).not.toContain('bug');
    } finally {
      redis.disconnect();
    }
  });

  test('a job that BullMQ cannot read is set aside, and named once', { timeout: 20_000 }, async () => {
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

describe('what somebody writes into PostgreSQL', () => {
  const at = bedFixture(postgresEngine);

  test.each([
    ['data that is not JSON', '{bad', 'bad1'],
    ['data that is nested deep', '['.repeat(100_000), 'bad1'],
    ['a number beyond all', '1e999999', 'bad1'],
    ['an escaped NUL', '{"x":"\\u0000"}', 'bad1'],
    ['large data', JSON.stringify('x'.repeat(5_000_000)), 'bad1'],
    ['an id that leads elsewhere', '{}', '../../\u001b[31m.t1.1.0'],
    ['an empty id', '{}', ''],
  ])('a row with %s ends nobody, and the next turn runs', { timeout: 20_000 }, async (...given) => {
    const [, data, id] = given;
    const { bed, server } = at;
    const client = new pg.Client(server.url);
    await client.connect();
    try {
      await bed.intruder.look({ role: 'engineer', id: 'x' });
      const sql = `insert into mailroom.jobs (project, role, id, data, labels, note, granted)
        values ($1, 'engineer', $2, $3, '{}', $3, $3)`;
      await client.query(sql, [bed.project, id, data]);
      await client.query(
        'insert into mailroom.workers (project, id, card, ordered) values ($1, $2, $3, $3)',
        [bed.project, id, data],
      );
      bed.worker('one');
      await played(bed, bed.controller(), 't1');
      expect(bed.said.join('\n')).not.toContain('bug');
    } finally {
      await client.end();
    }
  });
});
