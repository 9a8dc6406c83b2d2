import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, type TestProject } from '../support/project.ts';

let project: TestProject;
const detach = (...args: string[]) => project.run(['up', '-d', ...args]);

afterEach(async () => {
  await project.run(['stop']);
  project.remove();
});

it('a controller works in a process of its own until it is stopped from elsewhere', async () => {
  project = playProject(smallTeam, { maker: "send('done', 'user', mail[0]);" });
  const started = await detach();
  expect(started).toMatchObject({ code: 0, stderr: '' });
  const [, pid = ''] =
    /^started: process (\d+), which prints into \.mailroom\/up\.log\n/.exec(started.stdout) ?? [];
  expect(await detach()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`E_LOCKED: process ${pid} on `),
  });
  await expect.poll(() => project.read('.mailroom/config/mailroom/projects')).toBe(`${project.root}\n`);
  expect((await project.run(['send', 'maker', '--message', 'Make it', '--wait'])).code).toBe(0);
  expect(project.read('.mailroom/up.log')).toContain('maker starts t1');
  expect(await project.run(['stop', '--json'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`"pid": ${pid},\n  "over": true`),
  });
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  expect(await project.run(['stop'])).toMatchObject({ code: 0, stdout: 'no controller runs here\n' });
});

it('follows no link in the place of its output, and starts nothing where the page has no port', async () => {
  project = playProject(smallTeam, { maker: '' }, { 'kept.txt': 'kept' });
  await project.run(['up', '--until-idle']);
  symlinkSync('../kept.txt', join(project.root, '.mailroom/up.log'));
  const { code, stderr } = await detach('--serve', '--port', 'none');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^error E_USAGE: .*none/) });
  expect(await detach()).toMatchObject({ code: 0 });
  expect(project.read('kept.txt')).toBe('kept');
});

it('removes what starts left that were killed while they waited, and what nothing prints into any more', async () => {
  project = playProject(smallTeam, { maker: '' });
  await project.run(['up', '--until-idle']);
  const ended = spawnSync('true').pid;
  const leftovers = {
    dead: `process ${String(ended)}\n`,
    none: '',
    alive: `process ${String(process.pid)}\n`,
    fresh: '',
  };
  const names = Object.entries(leftovers).map(([what, text]) => {
    const name = `up.log.${randomUUID()}`;
    project.write(`.mailroom/${name}`, text);
    const at = what === 'fresh' ? Date.now() / 1000 : 1;
    utimesSync(join(project.root, '.mailroom', name), at, at);
    return [what, name] as const;
  });
  expect((await detach()).code).toBe(0);
  const left = project.list('.mailroom');
  expect(names.filter(([, name]) => left.includes(name)).map(([what]) => what)).toEqual(['alive', 'fresh']);
});

it('of two that start at once one works, and the other one says so', async () => {
  project = playProject(smallTeam, { maker: '' });
  await project.run(['up', '--until-idle']);
  const both = await Promise.all([detach(), detach()]);
  const [works, fails] = both.toSorted((one, other) => (one.code ?? 0) - (other.code ?? 0));
  const [, pid = ''] = /^started: process (\d+),/.exec(works!.stdout) ?? [];
  expect(fails).toMatchObject({ code: 1, stderr: expect.stringContaining(`E_LOCKED: process ${pid} on `) });
  expect(project.read('.mailroom/up.log')).toMatch(new RegExp(`^process ${pid}\\n`));
  expect(project.list('.mailroom').filter((name) => name.startsWith('up.log.'))).toEqual([]);
});

it('says what it waits for where the controller is suspended, and how it ends', async () => {
  project = playProject(smallTeam, { maker: '' });
  const started = await detach();
  const pid = Number(/^started: process (\d+),/.exec(started.stdout)?.[1]);
  process.kill(pid, 'SIGSTOP');
  const stopping = project.start(['stop']);
  const over = finished(stopping);
  const [printed] = (await once(stopping.stderr!, 'data')) as [Buffer];
  process.kill(pid, 'SIGCONT');
  expect(printed.toString()).toBe(
    `process ${String(pid)} is suspended, so it cannot end: \`kill -CONT ${String(pid)}\` lets it continue and end\n`,
  );
  expect(await over).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`stopped: process ${String(pid)}`),
  });
});
