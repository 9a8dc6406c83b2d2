import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { finished, said } from '../../support/project.ts';
import type { WorkerStatus } from '../../../src/extensions/workers/list.ts';
import { hostsFixture, kill, type Hosts } from './hosts.ts';
import { team } from './team.ts';

const bed = hostsFixture();

const checker = `send('done', 'user', 'Checked');`;
const engineer = `
  note('begun');
  await untilStaged('go');
  send('review', 'checker', 'Words', 'subject: Build it well\\n');`;

/** Asks until it is so: a worker announces itself in its own time. */
async function eventually(hosts: Hosts, is: (workers: readonly WorkerStatus[]) => boolean) {
  for (;;) {
    const { stdout } = await hosts.run('workers', '--json');
    const { workers } = JSON.parse(stdout) as { workers: WorkerStatus[] };
    if (is(workers)) return workers;
  }
}

test('lists what each worker runs, and drains one', async () => {
  const hosts = bed.open({ engineer, checker });
  expect((await hosts.run('workers')).stdout).toContain('no worker is running');
  const worker = await hosts.work('--slots', '2', '--labels', 'linux,gpu');
  hosts.drop();
  const up = finished(hosts.up('--until-idle'));
  const [found] = await eventually(hosts, ([one]) => one?.running.length === 1);
  expect(found).toMatchObject({
    host: hostname(),
    roles: ['engineer'],
    labels: ['linux', 'gpu'],
    slots: 2,
    running: ['t1/1/0'],
    state: 'active',
  });
  const ordered = await hosts.run('workers', 'drain', found!.id);
  expect(ordered.stdout).toBe(
    `drain ${hostname()} ${found!.id}: It takes no more turns, and ends when its running turns have ended.\n`,
  );
  await eventually(hosts, ([one]) => one?.state === 'draining');
  hosts.allow('go');
  expect((await up).stdout).toMatch(/idle: done\n$/);
  expect(await worker.ended).toMatchObject({ code: 0 });
  expect(await eventually(hosts, () => true)).toEqual([]);
});

test('a paused worker takes no turn until it is unpaused', async () => {
  const hosts = bed.open({ engineer, checker });
  const worker = await hosts.work();
  await eventually(hosts, ([one]) => one?.state === 'active');
  await hosts.run('workers', 'pause', hostname());
  const [paused] = await eventually(hosts, ([one]) => one?.state === 'paused');
  hosts.drop();
  hosts.allow('go');
  const up = finished(hosts.up('--until-idle'));
  const other = await hosts.work();
  expect((await up).stdout).toMatch(/idle: done\n$/);
  expect(worker.project.list('.')).not.toContain('engineer.log');
  expect(other.project.list('.')).toContain('engineer.log');
  const [name = ''] = paused!.id.split('.');
  expect(name).not.toBe(hostname());
  await hosts.run('workers', 'unpause', name);
  await eventually(hosts, (all) => all.every(({ state }) => state === 'active'));
});

test('a killed worker is silent after the lease, and gets no orders', async () => {
  const hosts = bed.open({ engineer, checker });
  const worker = await hosts.work();
  const [found] = await eventually(hosts, ([one]) => one?.state === 'active');
  await kill(worker.program);
  await eventually(hosts, ([one]) => one?.state === 'silent');
  const ordered = await hosts.run('workers', 'drain', found!.id);
  expect(ordered).toMatchObject({ code: 2 });
  expect(ordered.stderr).toContain(`no worker \`${found!.id}\` is running`);
});

test('a turn waits for a worker with the labels of its role', async () => {
  const labelled = team.replace('on: workers', 'on: { labels: [gpu] }');
  const hosts = bed.open({ engineer, checker }, labelled);
  const without = await hosts.work('--labels', 'linux');
  hosts.drop();
  hosts.allow('go');
  const up = finished(hosts.up('--until-idle'));
  const other = await hosts.work('--labels', 'linux,gpu');
  const begun = said(other.program, 'engineer begins');
  await begun;
  expect((await up).stdout).toMatch(/idle: done\n$/);
  expect(without.project.list('.')).not.toContain('engineer.log');
});

test('says why the queue cannot be reached, and what to do', async () => {
  const hosts = bed.open({ engineer, checker });
  await bed.server.kill();
  const { code, stderr } = await hosts.run('workers');
  await bed.server.start();
  expect(code).toBe(1);
  expect(stderr).toContain(`E_WORKER: the queue at 127.0.0.1:${String(bed.server.port)} cannot be reached`);
  expect(stderr).toContain('start the server, or correct the address');
});

test('says where in its definition something is wrong', async () => {
  const hosts = bed.open({ engineer, checker }, team.replace('on: workers', 'on: worker'));
  for (const words of [['workers'], ['worker', '--roles', 'engineer']]) {
    const { code, stderr } = await hosts.run(...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^protocols\/[\w-]+\.yaml:\d+:\d+: error E_\w+: /m);
  }
});
