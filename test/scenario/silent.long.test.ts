import { execFileSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const lost = 'agents/makr/inbox/b.md is not read: no role is called `makr`; move it to agents/maker/inbox/';
const unnamed =
  "agents/maker/inbox/task.txt is not read: the name of a message ends in .md; rename it, or set `inbox_patterns: ['*.txt']` in mailroom.yaml";

it('names mail that no role reads in up, status, check and doctor, and reads more names on request', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user', mail[0]);` });
  project.write('agents/makr/inbox/b.md', 'Lost\n');
  project.write('agents/maker/inbox/task.txt', 'Make it\n');
  const up = await project.run(['up', '--until-idle']);
  expect(up.stdout.split('\n').filter((line) => line.includes('is not read'))).toEqual([
    expect.stringContaining(unnamed),
    expect.stringContaining(lost),
  ]);
  expect((await project.run(['status'])).stdout).toContain(`problem     ${lost}\n`);
  const check = await project.run(['check', '--no-explore']);
  expect(check).toMatchObject({ code: 0 });
  expect(check.stderr).toContain(`warning E_MISPLACED: ${lost.replace('; ', '\nhint: ')}\n`);
  expect((await project.run(['doctor'])).stdout).toContain(`  ${unnamed}\n`);
  // Its text is a task, as in a file of Markdown.
  project.write('mailroom.yaml', `${project.read('mailroom.yaml')}inbox_patterns: ['*.txt']\n`);
  expect((await project.run(['status'])).stdout).toMatch(/^maker +idle +1 /m);
  const second = await project.run(['up', '--until-idle']);
  expect(second).toMatchObject({ code: 0 });
  expect(second.stdout).not.toContain('task.txt is not read');
  expect(second.stdout).toContain('maker → user: done');
  expect(project.list('agents/maker/inbox')).toEqual([]);
});

it('shows the failing test of a gate to the agent and to people, with the file of the whole output', async () => {
  project = playProject(
    smallTeam.replace('closes: true', 'closes: true, gates: [{ run: [node, --test, sum.test.mjs] }]'),
    { maker: `appendFileSync(project + '/prompts', prompt); send('done', 'user');` },
  );
  project.write(
    'play/run.mjs',
    project.read('play/run.mjs').replace('writeFileSync });', 'writeFileSync, appendFileSync });'),
  );
  project.write(
    'play/maker.mjs',
    project.read('play/maker.mjs').replace('writeFileSync })', 'writeFileSync, appendFileSync })'),
  );
  const passing = Array.from({ length: 300 }, (_, number) => `test('passes ${String(number)}', () => {});`);
  project.write(
    'sum.test.mjs',
    [
      `import test from 'node:test';`,
      ...passing,
      `test('adds two numbers', () => { throw new Error('no sum'); });`,
      ...passing,
    ].join('\n'),
  );
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  expect((await project.run(['up', '--until-idle'])).code).toBe(1);
  const prompts = project.read('prompts');
  const notices = project.list('agents/user/inbox').map((name) => project.read(`agents/user/inbox/${name}`));
  for (const text of [prompts, notices.join('\n')]) {
    expect(text).toContain('adds two numbers');
    expect(text).toContain('no sum');
    const log = /its whole output is in (\S+gate-1\.stdout)/.exec(text)?.[1] ?? '';
    expect(project.read(log.slice(project.root.length + 1))).toContain('passes 299');
  }
  expect(prompts).toMatch(/\[… \d+ lines …\]/);
});

it('keeps mail waiting for a program that is missing, says so, and continues when it is there', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user', mail[0]);` });
  project.write(
    'mailroom.yaml',
    project.read('mailroom.yaml').replace('[node, play/run.mjs]', '[./play/agent.sh]'),
  );
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  const waits =
    'the program `./play/agent.sh` was not found: the mail of maker, checker waits until it is installed';
  const first = await project.run(['up', '--until-idle']);
  expect(first).toMatchObject({ code: 1 });
  // When it happens, and again as what is stuck.
  const [happened, stuck, ...more] = first.stdout.split(waits).slice(0, -1);
  expect([happened !== undefined, more]).toEqual([true, []]);
  expect(stuck).toContain('\nidle: stuck; see `mailroom status`\n');
  expect(project.list('agents/maker/failed')).toEqual([]);
  expect(project.list('agents/maker/inbox')).toHaveLength(1);
  const up = project.start(['up']);
  const ended = finished(up);
  await said(up, waits);
  // The note for other processes follows.
  const status = async () => (await project.run(['status'])).stdout;
  await expect.poll(status).toContain(`problem     ${waits}`);
  project.write('play/agent.tmp', '#!/bin/sh\nexec node play/run.mjs\n');
  chmodSync(join(project.root, 'play/agent.tmp'), 0o755);
  renameSync(join(project.root, 'play/agent.tmp'), join(project.root, 'play/agent.sh'));
  await said(up, 'maker → user: done');
  up.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0 });
});

it('makes in a clone what only the first init had made, and adds no second protocol', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user', mail[0]);` });
  execFileSync('git', ['init', '-q'], { cwd: project.root });
  const schemas = '.mailroom/schemas';
  expect(await project.run(['check', '--no-explore'])).toMatchObject({ code: 0 });
  expect(project.list(schemas)).toContain('protocol.schema.json');
  expect(project.list('agents')).toEqual(['checker', 'maker', 'user']);
  rmSync(join(project.root, '.mailroom'), { recursive: true });
  rmSync(join(project.root, 'agents'), { recursive: true });
  expect(await project.run(['send', 'maker', '-m', 'Make it'])).toMatchObject({ code: 0 });
  expect(project.list('agents')).toEqual(['checker', 'maker', 'user']);
  project.write(`${schemas}/protocol.schema.json`, 'old');
  const doctor = await project.run(['doctor']);
  expect(doctor.stdout).toContain('`mailroom doctor --fix` adds the lines');
  const fixed = await project.run(['doctor', '--fix']);
  expect(fixed.stdout.split('\n').slice(0, 2)).toEqual([
    'wrote .gitignore',
    `wrote ${schemas}/protocol.schema.json`,
  ]);
  expect(fixed.stdout).toContain('git ignores the mail');
  expect(await project.run(['init'])).toMatchObject({
    code: 0,
    stdout: 'nothing is missing\nprotocols/team.yaml is kept: this is a project already\n',
  });
  const template = await project.run(['init', '--template', 'calculator']);
  expect(template.stdout).toContain('left out protocols/feature-team.yaml: the project has a protocol\n');
  expect(project.list('protocols')).toEqual(['team.yaml']);
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
});

it('makes the folders and schemas of a clone in `up`', async () => {
  project = playProject(smallTeam, {});
  expect(project.list('.')).not.toContain('agents');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect(project.list('agents')).toEqual(['checker', 'maker', 'user']);
  expect(project.list('agents/maker')).toContain('inbox');
  expect(project.list('.mailroom/schemas')).toContain('protocol.schema.json');
});

it('does not make an inbox again that has vanished with waiting mail', async () => {
  project = playProject(smallTeam, {});
  project.write(
    'mailroom.yaml',
    project.read('mailroom.yaml').replace('[node, play/run.mjs]', '[./missing]'),
  );
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 1 });
  rmSync(join(project.root, 'agents/maker/inbox'), { recursive: true });
  expect(await project.run(['check', '--no-explore'])).toMatchObject({ code: 0 });
  expect(project.list('agents/maker')).not.toContain('inbox');
});

it('refuses worktrees where git has no commit, with the command that helps', async () => {
  project = playProject(`workspace: worktree\n${smallTeam}`, { maker: `send('done', 'user', mail[0]);` });
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root });
  const outside =
    `error E_WORKSPACE: \`workspace: worktree\` needs a git repository, and ${project.root} is in none\n` +
    "hint: `git init && git add --all && git commit --message 'Start'` makes one\n";
  for (const command of [
    ['check', '--no-explore'],
    ['up', '--until-idle'],
  ])
    expect(await project.run(command)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(outside) as string,
    });
  git('init', '-q');
  const empty =
    'error E_WORKSPACE: `workspace: worktree` needs a commit, and the repository has none\n' +
    "hint: `git add --all && git commit --message 'Start'` makes one\n";
  expect(await project.run(['check', '--no-explore'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(empty) as string,
  });
  expect((await project.run(['doctor'])).stdout).toContain('✗ worktree');
  project.write('.gitignore', '.mailroom/\nagents/\n*.log\n');
  git('add', '--all');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', 'commit', '-qm', 'Start');
  expect(await project.run(['check', '--no-explore'])).toMatchObject({ code: 0 });
  expect(project.list('agents/maker/inbox')).toEqual(['task.md']);
});

it('prints the output of steps as it comes, and what has been running for long', async () => {
  const wait = 'while ! test -e go; do sleep 0.05; done';
  project = new TestProject({
    'mailroom.yaml': 'trail: off\n',
    'workflows/w.yaml': `name: w
version: "1"
timeout: 5m
steps:
  build: { command: [sh, -c, "echo begun; ${wait}; echo ended"] }
`,
  });
  const child = project.start(['run', 'w', '--follow', '--heartbeat', '100ms']);
  const ended = finished(child);
  await Promise.all([said(child, 'build | begun'), said(child, 'still running: build ')]);
  project.write('go', '');
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/ build \| ended\n/);
  const before = await project.run(['run', '--follow', 'w']);
  expect(before).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('build | begun') as string,
  });
  const other = await project.run(['run', 'w', '--follow=built']);
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean `build`?') as string,
  });
});

it('says while `up` runs that the protocol was edited, and what to do', async () => {
  project = playProject(smallTeam, {});
  const up = project.start(['up']);
  const ended = finished(up);
  await said(up, 'small: 3 roles');
  project.write('protocols/team.yaml', smallTeam.replace('roles:', 'rolles:'));
  await said(
    up,
    'the protocol or settings have changed since `up` started, and are not used yet: protocols/team.yaml; look at the change, check it with `mailroom check`, and restart `mailroom up` to apply it',
  );
  expect((await project.run(['status'])).stdout).toContain('protocol    changed on disk, and not used yet\n');
  up.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0 });
});
