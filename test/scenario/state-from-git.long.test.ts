import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { smallTeam, playProject } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';

/*
 * Somebody commits `.mailroom/`: a journal with a run whose gate is approved, and the command behind it. Whoever clones that
 * and starts Mailroom must not run it.
 */

let project: TestProject;
let run: string;

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@example.org', ...args], {
    cwd: project.root,
  }).toString();

const attack = `name: attack
version: '1'
timeout: 1m
steps:
  ask: { gate: { message: May it? } }
  evil: { depends_on: [ask], command: [touch, evil] }
`;

/** What a clone holds: files that its author committed, and nothing but these. */
beforeEach(async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user');` });
  project.write('attack.yaml', attack);
  const waiting = project.start(['run', 'attack.yaml', '--plain']);
  await said(waiting, 'May it?');
  waiting.kill('SIGTERM');
  await finished(waiting);
  [run = ''] = project.list('.mailroom/runs');
  await project.run(['approve', run, 'ask']);
  git('init', '--quiet');
  git('add', '--force', '.');
  git('commit', '--quiet', '--message=Innocent');
  git('clean', '-dfxq');
});
afterEach(() => project.remove());

const refusal = (first: string, more: string) =>
  `error E_TRACKED: git tracks ${first}${more}, so .mailroom/ may come from the author of this repository; nothing was started\n` +
  'hint: remove what they wrote with `git rm -r .mailroom`; if you committed your own, keep it with `git rm -r --cached .mailroom`\n';

it('starts nothing where git tracks .mailroom/, and works once it is removed', async () => {
  const tracked = git('ls-files', '.mailroom').trim().split('\n');
  expect(tracked).toContainEqual(expect.stringContaining(`/runs/${run}/control/`));
  const expected = refusal(tracked[0] ?? '', ` and ${String(tracked.length - 1)} more`);
  for (const command of [
    ['up', '--until-idle'],
    ['resume', run],
    ['cancel', run],
    ['run', 'attack.yaml'],
    ['run-step', 'attack.yaml', 'evil'],
    ['serve'],
    ['reload'],
  ]) {
    const ran = await project.run(command);
    expect([command[0], ran.code, ran.stderr.trimEnd()]).toEqual([command[0], 2, expected.trimEnd()]);
  }
  expect((await project.run(['doctor'])).stdout).toContain(
    `git tracks ${tracked[0]!}, so the author of this repository may have created .mailroom/, and nothing starts (E_TRACKED)`,
  );
  expect(existsSync(`${project.root}/evil`)).toBe(false);
  git('rm', '-r', '--quiet', '.mailroom');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect((await project.run(['resume', run])).stderr).toContain(`there is no run \`${run}\``);
  expect(existsSync(`${project.root}/evil`)).toBe(false);
});

it.each([
  ['in another spelling', () => project.write('.Mailroom/confirmed', ''), '.Mailroom/confirmed'],
  [
    'as a link',
    () => {
      mkdirSync(`${project.root}/state`);
      symlinkSync('state', `${project.root}/.mailroom`);
    },
    '.mailroom',
  ],
])('refuses a tracked .mailroom %s', async (_, make, first) => {
  git('rm', '-r', '--quiet', '.mailroom');
  make();
  git('add', '--force', '.');
  const ran = await project.run(['up', '--until-idle']);
  expect([ran.code, ran.stderr.trimEnd()]).toEqual([2, refusal(first, '').trimEnd()]);
});

it('believes what it made itself, be it ignored or not', async () => {
  git('rm', '-r', '--quiet', '.mailroom');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
});
