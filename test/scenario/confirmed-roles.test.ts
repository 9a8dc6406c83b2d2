import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

it('uses a changed role.md in a running `up` only once it is confirmed, and names who changed it everywhere', async () => {
  const play = `writeFileSync(project + '/prompt-' + String(times), prompt); send('done', 'user');`;
  const more = {
    'agents/maker/role.md': 'Old words.\n',
    '.gitignore': '.mailroom/\n*.log\nprompt-*\n.drop/\nagents/*/*/\n',
  };
  project = playProject(smallTeam, { maker: play }, more);
  project.makeRepository();
  const up = project.start(['up']);
  const ended = finished(up);
  let printed = '';
  up.stdout?.on('data', (part: Buffer) => (printed += String(part)));
  await said(up, 'small: 3 roles');
  const text = 'Mailroom-Turn: t7\n';
  // The commit is there before the file has changed: a notice in between could not name it.
  project.write('.git/new.md', 'New words.\n');
  const blob = project.git('hash-object', '-w', '.git/new.md');
  project.git('update-index', '--cacheinfo', `100644,${blob},agents/maker/role.md`);
  project.git('commit', '-qm', `Change it\n\n${text}`, '--author', 'checker <checker@mailroom>');
  project.git('checkout', '--', 'agents/maker/role.md');
  const commit = project.git('rev-parse', '--short', 'HEAD');
  const what = `agents/maker/role.md (commit ${commit} by checker, landed from turn t7)`;
  const log = '`git log -p -- agents/maker/role.md`';
  const notice = `descriptions of roles have changed since they were confirmed, and are not used yet: ${what}; look at the change with ${log}, then run \`mailroom reload agents/maker/role.md\``;
  project.drop('agents/maker/inbox/one.md', 'One\n');
  await expect.poll(() => printed).toContain(notice);
  await expect.poll(() => project.list('.').includes('prompt-0')).toBe(true);
  expect(project.read('prompt-0')).toContain('Old words.');
  expect((await project.run(['status'])).stdout).toContain(`problem     ${notice}\n`);
  expect((await project.run(['doctor'])).stdout).toContain(`  ${notice}\n`);
  expect(await project.run(['reload', 'agents/nobody/role.md'])).toMatchObject({ code: 2 });
  expect(await project.run(['reload', 'agents/maker/role.md'])).toMatchObject({
    code: 0,
    stdout: `agents/maker/role.md: confirmed; changed: ${what}; to look at it: ${log}\n`,
  });
  expect(await project.run(['reload'])).toMatchObject({ code: 0, stdout: 'nothing has changed\n' });
  project.drop('agents/maker/inbox/two.md', 'Two\n');
  await expect.poll(() => project.list('.').includes('prompt-1')).toBe(true);
  expect(project.read('prompt-1')).toContain('New words.');
  expect((await project.run(['status'])).stdout).not.toContain('not used yet');
  up.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0 });
});

it('confirms no description that a process still writes', async () => {
  project = playProject(smallTeam, {}, { 'agents/maker/role.md': 'You make.\n' });
  const half = {
    code: 1,
    stderr: expect.stringContaining(
      `agents/maker/role.md is incomplete: process ${String(process.pid)} (`,
    ) as string,
  };
  const file = openSync(join(project.root, 'agents/maker/role.md'), 'a');
  try {
    expect(await project.run(['up', '--until-idle'])).toMatchObject(half);
    expect(await project.run(['reload'])).toMatchObject(half);
  } finally {
    closeSync(file);
  }
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
});
