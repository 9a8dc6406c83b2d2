import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { said } from '../../support/project.ts';
import { hostsFixture, kill, type Hosts } from './hosts.ts';
import { openRedis } from './redis.ts';
import { freePort, redisEngine, type TestServer } from './servers.ts';

/*
 * What `up` and `worker` print of a wrong address, and what to do. `doctor` is in doctor.test.ts.
 */

const bed = hostsFixture();
const plays = { engineer: '', checker: '' };
const programs = [
  ['up', '--plain'],
  ['worker', '--roles', 'engineer'],
];

/** Which of the programs print this, each started until it does. */
async function named(hosts: Hosts, env: Readonly<Record<string, string>>, text: string) {
  const found: (string | undefined)[] = [];
  for (const args of programs) {
    const program = hosts.startWith(env, ...args);
    await said(program, text);
    found.push(args[0]);
    await kill(program);
  }
  return found;
}

const both = ['up', 'worker'];

test.each([
  ['is missing', { MAILROOM_QUEUE: '' }, 'the variable MAILROOM_QUEUE has no address of a queue'],
  [
    'is of no queue',
    { MAILROOM_QUEUE: 'http://127.0.0.1' },
    'must begin with redis:// or rediss:// (Redis or Valkey, not PostgreSQL)',
  ],
  ['comes without a key', { MAILROOM_WORKER_KEY: '' }, 'MAILROOM_WORKER_KEY is not set'],
])('an address that %s ends both programs at once', async (_, env, text) => {
  const hosts = bed.open(plays);
  for (const args of programs) {
    const { code, stderr } = await hosts.runWith(env, ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  }
});

test('a server that does not answer is named', async () => {
  const port = String(await freePort());
  const why = `the queue at 127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`;
  const hosts = bed.open(plays);
  const todo =
    'start the server, or correct the address: `workers.queue` in mailroom.yaml, or MAILROOM_QUEUE';
  const url = `redis://127.0.0.1:${port}`;
  expect(await named(hosts, { MAILROOM_QUEUE: url }, `${why}; ${todo}`)).toEqual(both);
});

test('a wrong password is named', async () => {
  const hosts = bed.open(plays);
  const client = new Redis(bed.server.url);
  await client.config('SET', 'requirepass', 'right');
  try {
    const url = bed.server.url.replace('//', '//:wrong@');
    expect(
      await named(
        hosts,
        { MAILROOM_QUEUE: url },
        'check the password in the address: redis://:password@host:6379',
      ),
    ).toEqual(both);
  } finally {
    await client.config('SET', 'requirepass', '');
    client.disconnect();
  }
});

test('a shared repository that cannot be reached is named without its password', async () => {
  const hosts = bed.open(plays);
  hosts.git('remote', 'set-url', 'origin', 'http://ada:secret@127.0.0.1:1/hub.git');
  expect(await named(hosts, {}, 'try: git ls-remote http://ada:***@127.0.0.1:1/hub.git')).toEqual(both);
});

/** A server whose certificate no authority has signed. */
const folder = mkdtempSync(join(tmpdir(), 'mailroom-tls-'));
const [certificate, secret] = ['certificate.pem', 'key.pem'].map((name) => join(folder, name)) as [
  string,
  string,
];
let server: TestServer | null = null;

beforeAll(async () => {
  if (redisEngine.folder === null) return;
  const subject = ['-subj', '/CN=queue', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', secret];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', certificate, ...subject], { stdio: 'pipe' });
  const port = await freePort();
  const files = ['--tls-cert-file', certificate, '--tls-key-file', secret, '--tls-ca-cert-file', certificate];
  const tls = ['--tls-port', String(port), '--tls-auth-clients', 'no', ...files];
  server = await openRedis(redisEngine.folder, port, '127.0.0.1', ['--port', '0', ...tls]);
});
beforeEach(({ skip }) => {
  if (redisEngine.folder === null) skip(redisEngine.lacks);
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

test('a certificate that is not trusted is named, and one that is trusted is used', async () => {
  const hosts = bed.open(plays);
  const url = `rediss://127.0.0.1:${String(server!.port)}`;
  const todo = 'self-signed certificate; name the certificate of its authority in NODE_EXTRA_CA_CERTS';
  expect(await named(hosts, { MAILROOM_QUEUE: url }, todo)).toEqual(both);
  expect((await hosts.doctor({ MAILROOM_QUEUE: url }))[0]?.text).toContain(todo);
  const trusted = { MAILROOM_QUEUE: url, NODE_EXTRA_CA_CERTS: certificate };
  const [found] = await hosts.doctor(trusted);
  expect(found?.text).toContain(`0 workers in the queue at 127.0.0.1:${String(server!.port)}`);
});
