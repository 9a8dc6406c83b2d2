import { tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { finished, said } from '../../support/project.ts';
import { Hosts, randomMoment } from './hosts.ts';
import { hasNetworks, Network } from './network.ts';
import { openRedis } from './redis.ts';
import { redisEngine, type TestServer } from './servers.ts';
import { building, checker, failuresOf, team } from './team.ts';

/*
 * Hosts as network namespaces: what happens to turns on a host that nothing reaches for a while.
 */

let network: Network | null = null;
let server: TestServer | null = null;
let hosts: Hosts | null = null;

beforeAll(async () => {
  if (!hasNetworks || redisEngine.folder === null) return;
  network = await Network.open(tmpdir());
  for (const host of ['alpha', 'beta', 'gamma']) network.add(host);
  server = await openRedis(redisEngine.folder, undefined, network.here);
});
beforeEach(({ skip }) => {
  if (server === null) skip('they need root and redis-server: run them as root, and install it');
});
afterEach(async () => {
  await hosts?.close();
  hosts = null;
});
afterAll(async () => {
  await server?.close();
  await network?.close();
});

const engineer = building(`'begun-' + (await import('node:os')).hostname()`);

function open(): Hosts {
  hosts = new Hosts(server!, { engineer, checker }, team, '5s', network);
  return hosts;
}

test('a host that is away for less than the lease keeps its turn', async () => {
  const all = open();
  await all.workOn('alpha');
  all.drop();
  const up = finished(all.up('--until-idle'));
  await all.noted('begun-alpha');
  network!.cut('alpha');
  await randomMoment(3_000);
  network!.join('alpha');
  all.allow('go');
  expect((await up).stdout).toMatch(/It is there[^]*idle: done\n$/);
  expect(failuresOf(all.controller)).toEqual([]);
  expect(all.noticed().filter((name) => name.startsWith('begun'))).toEqual(['begun-alpha']);
});

test('a host that is away for longer loses its turn, which another one does; it reports nothing', async () => {
  const all = open();
  const first = await all.workOn('alpha');
  all.drop();
  const up = finished(all.up('--until-idle'));
  await all.noted('begun-alpha');
  await all.workOn('beta');
  network!.cut('alpha');
  await all.noted('begun-beta');
  const lost = said(first.program, 'was taken from this worker');
  network!.join('alpha');
  await lost;
  all.allow('go');
  expect((await up).stdout).toMatch(/It is there[^]*idle: done\n$/);
  expect(failuresOf(all.controller)).toMatchObject([{ attempt: 1, reason: { code: 'E_WORKER' } }]);
  const sent = await all.run('trail', '--json');
  const types = (JSON.parse(sent.stdout) as { type: string }[]).map(({ type }) => type);
  expect(types).toEqual(['task', 'review', 'done']);
  expect(all.shared()).toEqual(['refs/heads/main']);
});
