import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { openSource } from '../../../src/extensions/workers/queue/bull.ts';
import { sign } from '../../../src/extensions/workers/queue/signed.ts';
import metadata from '../../../package.json' with { type: 'json' };
import { hostsFixture } from './hosts.ts';

const bed = hostsFixture();
const plays = { engineer: '', checker: '' };

test('doctor finds the workers, on the side of the controller and on that of a worker', async () => {
  const hosts = bed.open(plays);
  const at = `in the queue at 127.0.0.1:${String(bed.server.port)}`;
  expect(await hosts.doctor()).toEqual([
    {
      state: 'warning',
      text: `0 workers ${at}; start one on each host: mailroom worker --roles <roles>`,
    },
  ]);
  const { project } = await hosts.work();
  const found = [{ state: 'ok', text: `1 worker ${at}` }];
  await expect.poll(() => hosts.doctor()).toEqual(found);
  expect(await hosts.doctor({}, project)).toEqual(found);
});

test('doctor names what is wrong with the queue, and what to do', async () => {
  const hosts = bed.open(plays);
  const port = String(bed.server.port);
  const cases: readonly (readonly [env: Record<string, string>, words: readonly string[]])[] = [
    [{ MAILROOM_WORKER_KEY: 'short' }, ['MAILROOM_WORKER_KEY has fewer than 32', 'openssl rand -hex 32']],
    [
      { MAILROOM_QUEUE: 'postgres://127.0.0.1/jobs' },
      ['must begin with redis:// or rediss:// (Redis or Valkey, not PostgreSQL)', '`workers.queue`'],
    ],
    [
      { MAILROOM_QUEUE: `rediss://127.0.0.1:${port}` },
      ['cannot be reached', 'begin the address with redis://'],
    ],
    [{ MAILROOM_QUEUE: 'redis://127.0.0.1:1' }, ['ECONNREFUSED', 'start the server, or correct the address']],
  ];
  for (const [env, words] of cases) {
    const [found, ...more] = await hosts.doctor(env);
    expect(more).toEqual([]);
    expect(found?.state).toBe('problem');
    for (const word of words) expect(found?.text).toContain(word);
  }
});

test('doctor names a password that is missing or wrong', async () => {
  const hosts = bed.open(plays);
  const client = new Redis(bed.server.url);
  await client.config('SET', 'requirepass', 'right');
  try {
    for (const password of ['', ':wrong@']) {
      const [found] = await hosts.doctor({ MAILROOM_QUEUE: bed.server.url.replace('//', `//${password}`) });
      expect(found?.state).toBe('problem');
      expect(found?.text).toContain('check the password in the address: redis://:password@host:6379');
      expect(found?.text).not.toContain('wrong@');
    }
  } finally {
    await client.config('SET', 'requirepass', '');
    client.disconnect();
  }
});

test('doctor names a shared repository that cannot be reached, without its password', async () => {
  const hosts = bed.open(plays);
  hosts.git('remote', 'set-url', 'origin', 'http://ada:secret@127.0.0.1:1/hub.git');
  const [found] = await hosts.doctor();
  expect(found?.state).toBe('problem');
  expect(found?.text).toContain('the shared repository cannot be reached');
  expect(found?.text).toContain('git ls-remote http://ada:***@127.0.0.1:1/hub.git');
  expect(found?.text).not.toContain('secret');
});

test('doctor names workers of another version, and with another time', async () => {
  const hosts = bed.open(plays);
  const address = {
    url: bed.server.url,
    name: hosts.credentials.project,
    roles: ['engineer'],
    lease: 60_000,
  };
  const source = openSource({ ...address, onChange: () => {} }, []);
  const now = Date.now();
  const idle = {
    roles: ['engineer'],
    steps: [],
    labels: [],
    slots: 1,
    running: [],
    parked: [],
    state: 'active',
  };
  const card = { host: 'far', login: 'far', ...idle };
  const announce = (id: string, version: string, lastSeen: number) => {
    const about = { kind: 'worker', job: id, nonce: id, expires: now + 3_600_000 } as const;
    return source.announce(
      id,
      sign(hosts.invited('far'), about, { ...card, id, version, since: now, lastSeen }),
    );
  };
  await announce('far.old', '0.0.1', now);
  await announce('far.fast', metadata.version, now + 3_600_000);
  await announce('far.slow', metadata.version, now - 3_600_000);
  // A card as another version may write it.
  const about = { kind: 'worker', job: 'near.new', nonce: 'new', expires: now + 3_600_000 } as const;
  await source.announce(
    'near.new',
    sign(hosts.invited('near'), about, { host: 'near', id: 'near.new', version: '9.0.0', skills: [] }),
  );
  const [first, ...found] = await hosts.doctor();
  await source.close();
  expect(first?.text).toMatch(/^4 workers in the queue/);
  const texts = found.map(({ text }) => text).toSorted();
  expect(texts).toHaveLength(4);
  expect(texts[0]).toMatch(
    /^the clock of the worker far\.fast on far is \S+ ahead of the one here; set the clocks/,
  );
  expect(texts[1]).toMatch(/^the clock of the worker far\.slow on far is 1h\S* behind the one here/);
  expect(texts[3]).toContain(
    `the worker near.new on near runs version 9.0.0 of Mailroom, and this host version`,
  );
  expect(texts[2]).toContain(
    `the worker far.old on far runs version 0.0.1 of Mailroom, and this host version`,
  );
  expect(texts[2]).toContain('install the same version on all hosts');
});
