import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';
import type { StatusDocument } from '../../src/documents/status.ts';

let project: TestProject;
afterEach(() => project.remove());

/** Without any configuration of the machine or its user: no identity above all. */
const bare = () => ({ HOME: project.root, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' });
/** What a person does in the repository, whose own hook would refuse it. */
const git = (...args: string[]): string =>
  execFileSync(
    'git',
    ['-c', 'user.name=P', '-c', 'user.email=p@example.org', '-c', 'core.hooksPath=/dev/null', ...args],
    { cwd: project.root, env: { ...process.env, ...bare() } },
  ).toString();

it('the trail gets along with a branch mailroom, a hook that refuses, no identity, commit -am and a gc in between', async () => {
  project = playProject(
    smallTeam,
    { maker: `send('done', 'user', mail[0].split('---').at(-1).trim());` },
    {
      'mailroom.yaml':
        'providers: { play: { command: [node, play/run.mjs] } }\ndefaults: { provider: play }\n',
    },
  );
  project.write('.gitignore', '.mailroom/\nagents/\n*.log\n');
  project.write('work.txt', 'one\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=First');
  git('branch', 'mailroom');
  project.write('.git/hooks/reference-transaction', '#!/bin/sh\nexit 1\n');
  chmodSync(`${project.root}/.git/hooks/reference-transaction`, 0o755);
  for (const task of ['One', 'Two']) {
    project.write('agents/maker/inbox/task.md', `${task}\n`);
    const ran = await project.run(['up', '--until-idle'], bare());
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).not.toContain('E_TRAIL');
    project.write('work.txt', `after ${task}\n`);
    git('commit', '--quiet', '-a', `--message=After ${task}`);
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '--quiet', '--prune=now');
  }
  const log = (branch: string, format: string) =>
    git('log', '--reverse', `--format=${format}`, branch).trim().split('\n');
  expect(log('main', '%s')).toEqual(['First', 'After One', 'After Two']);
  expect(git('ls-tree', '-r', '--name-only', 'main')).not.toContain('agents/');
  expect(log('mailroom', '%s')).toEqual(['First']);
  const subjects = log('mailroom-trail', '%s');
  for (const task of ['One', 'Two'])
    expect(subjects.filter((subject) => subject === `user → maker: task — ${task}`)).toHaveLength(1);
  expect(subjects.filter((subject) => subject.includes('maker → user: done'))).toHaveLength(2);
  const numbers = log('mailroom-trail', '%(trailers:key=Seq,valueonly)').filter(Boolean).map(Number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(git('ls-tree', '-r', '--name-only', 'mailroom-trail')).not.toContain('work.txt');
  expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
  expect(git('status', '--porcelain')).toBe('');
});

it('`status` shows why the trail is not written while `up` runs', async () => {
  project = playProject(
    smallTeam,
    { maker: `send('done', 'user');` },
    {
      'mailroom.yaml':
        'providers: { play: { command: [node, play/run.mjs] } }\ndefaults: { provider: play }\n',
    },
  );
  git('init', '--quiet', '--initial-branch=mailroom-trail');
  git('commit', '--quiet', '--allow-empty', '--message=First');
  const up = project.start(['up', '--plain'], bare());
  await said(up, '3 roles');
  project.write('agents/maker/inbox/task.md', '---\ntype: task\n---\nDo it.\n');
  const shown = async () => {
    const { stdout } = await project.run(['status', '--json']);
    return (JSON.parse(stdout) as StatusDocument).problems;
  };
  let problems = await shown();
  while (problems.length === 0) problems = await shown();
  expect(problems).toEqual([
    `the branch mailroom-trail is checked out in ${project.root}, so no trail is written to it (switch to another branch there, or name another one for the trail with \`trail.branch\`)`,
  ]);
  up.kill('SIGTERM');
  await finished(up);
  expect(await shown()).toEqual([]);
});
