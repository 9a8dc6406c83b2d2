import { expect, it } from 'vitest';
import { finished, said } from '../../support/project.ts';
import { openQueue } from '../../../src/extensions/workers/queue/bull.ts';
import { hostsFixture, kill } from './hosts.ts';
import { building, checker, failuresOf, startsOf } from './team.ts';

const engineer = building();

const bed = hostsFixture();
it.each([
  ['a turn runs on a worker, and its work comes back to the controller', comesBack],
  ['a controller that was killed finds the turn that still runs, and starts no other', survivesController],
  ['a worker that is gone loses its turn, and another one has it next', survivesWorker],
  ['a job that nobody signed is refused', refusesForged],
])('%s', async (_what, holds) => {
  await expect(holds()).resolves.toBeUndefined();
});

async function comesBack(): Promise<void> {
  const hosts = bed.open({ engineer, checker });
  const worker = await hosts.work();
  hosts.allow('go');
  hosts.drop();
  const ran = await finished(hosts.up('--until-idle'));
  expect(ran.stdout).toContain('It is there');
  expect(ran.stdout).toMatch(/idle: done\n$/);
  expect(startsOf(worker.project)).toEqual(['t1 1 0 task']);
  const [left = ''] = hosts
    .git('for-each-ref', '--format=%(refname)', 'refs/heads/mailroom/*/engineer')
    .split('\n');
  expect(hosts.git('log', '-1', '--format=%an %s %P', left)).toBe(
    `engineer Build it well ${hosts.git('rev-parse', 'main')}`,
  );
  expect(hosts.git('show', `${left}:built.txt`)).toBe('built');
  // Nothing is left of the turn where it passed through.
  expect(hosts.shared()).toEqual(['refs/heads/main']);
  worker.program.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ code: 0 });
  const pruned = await worker.project.run(['prune', '--older-than', '0s', '--yes', '--json']);
  const { items } = JSON.parse(pruned.stdout) as { items: { kind: string; kept: string | null }[] };
  expect(items.map(({ kind, kept }) => [kind, kept])).toEqual([
    ['turns', null],
    ['worktrees', null],
  ]);
  for (const folder of ['turns', 'worktrees']) expect(worker.project.list(`.mailroom/${folder}`)).toEqual([]);
}

async function survivesController(): Promise<void> {
  const hosts = bed.open({ engineer, checker });
  const worker = await hosts.work();
  hosts.drop();
  const first = hosts.up();
  await hosts.noted('begun');
  await kill(first);
  const second = finished(hosts.up('--until-idle'));
  hosts.allow('go');
  expect((await second).stdout).toMatch(/idle: done\n$/);
  expect(startsOf(worker.project)).toEqual(['t1 1 0 task']);
  expect(failuresOf(hosts.controller)).toEqual([]);
}

async function survivesWorker(): Promise<void> {
  const hosts = bed.open({ engineer, checker });
  const first = await hosts.work();
  hosts.drop();
  const up = finished(hosts.up('--until-idle'));
  await hosts.noted('begun');
  await kill(first.program);
  const second = await hosts.work();
  hosts.allow('go');
  expect((await up).stdout).toMatch(/idle: done\n$/);
  expect(startsOf(second.project)).toEqual(['t1 2 0 task']);
  expect(failuresOf(hosts.controller)).toMatchObject([
    { attempt: 1, class: 'RETRYABLE_TRANSIENT', reason: { code: 'E_WORKER' } },
  ]);
}

async function refusesForged(): Promise<void> {
  const hosts = bed.open({ engineer, checker });
  const worker = await hosts.work();
  const refused = said(worker.program, 'was refused: its signature is wrong');
  let changed = () => {};
  const { url } = bed.server;
  const address = { url, name: hosts.credentials.project, roles: ['engineer'], lease: 5_000 };
  const queue = openQueue({ ...address, onChange: () => changed() });
  const job = { role: 'engineer', id: 'forged.t1.1.0' };
  await queue.add(
    job,
    { kind: 'job', job: job.id, nonce: 'mine', expires: Date.now() + 60_000, body: {} },
    [],
  );
  await refused;
  while ((await queue.look(job)).is !== 'done') await new Promise<void>((resolve) => (changed = resolve));
  await queue.close();
  expect(worker.project.list('.')).not.toContain('engineer.log');
}
