import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { finished } from '../../support/project.ts';
import { hostsFixture, type Hosts } from './hosts.ts';
import { building } from './team.ts';
import type { StatusDocument } from '../../../src/documents/status.ts';

const bed = hostsFixture();

const engineer = building();
const checker = `send('done', 'user', 'It is done');`;

const json = async (hosts: Hosts, ...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await hosts.run(...args, '--json')).stdout);

/** The status, once the controller has seen this. */
async function statusWith(
  hosts: Hosts,
  isSeen: (status: StatusDocument) => boolean,
): Promise<StatusDocument> {
  for (;;) {
    const status = (await json(hosts, 'status')) as StatusDocument;
    if (isSeen(status)) return status;
  }
}

test('says what a waiting turn lacks, and then which host runs it', async () => {
  const hosts = bed.open({ engineer, checker });
  hosts.drop();
  const up = finished(hosts.up('--until-idle'));
  const waiting = await statusWith(
    hosts,
    ({ turns, workers }) => turns[0]?.state === 'queued' && workers !== null,
  );
  const why = 'no worker takes turns of engineer';
  const command = 'mailroom worker --roles engineer';
  expect(waiting.workers).toEqual([]);
  expect(waiting.turns).toMatchObject([{ id: 't1', worker: null }]);
  expect(waiting.roles.find(({ name }) => name === 'engineer')?.why).toMatchObject({
    code: 'waiting_for_worker',
    reason: why,
    command,
  });
  expect(await json(hosts, 'why', 't1')).toMatchObject({ code: 'waiting_for_worker', reason: why, command });
  await hosts.work('--login', 'team');
  await hosts.noted('begun');
  const host = hostname();
  const working = await statusWith(hosts, ({ turns, workers }) => {
    const isBusy = workers?.some(({ running }) => running.length > 0) === true;
    return isBusy && turns[0]?.worker !== null;
  });
  const [worker] = working.workers ?? [];
  expect(worker).toMatchObject({
    host,
    login: 'team',
    roles: ['engineer'],
    running: ['t1/1/0'],
    state: 'active',
  });
  expect(working.turns).toMatchObject([
    { state: 'running', worker: { host, login: 'team', id: worker?.id } },
  ]);
  expect(await json(hosts, 'why', 't1')).toMatchObject({
    code: 'running',
    reason: `engineer works in turn t1 on ${host}`,
  });
  hosts.allow('go');
  expect((await up).stdout).toMatch(/idle: done\n$/);
  expect(await json(hosts, 'costs', '--by', 'role,host')).toMatchObject({
    rows: expect.arrayContaining([
      expect.objectContaining({ key: { role: 'engineer', host } }),
      expect.objectContaining({ key: { role: 'checker', host: null } }),
    ]) as unknown,
  });
  expect((await hosts.run('trail')).stdout).toContain(` t1 on ${host} `);
  expect((await hosts.run('show', 't1')).stdout).toContain(`on ${host}, `);
});
