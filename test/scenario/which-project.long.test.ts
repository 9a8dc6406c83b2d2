import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, expect, it } from 'vitest';
import { finished, program, said, TestProject, type Ran } from '../support/project.ts';

const native = `name: w
version: "1"
timeout: 5m
steps:
  write: { command: [touch, written.txt] }
`;

const orchestrate = (program_: string) => `version: "1.0"
name: sample
strict_flow: true
steps:
  - name: Say
    command: [${program_}]
    on: { success: { goto: _end }, failure: { goto: _error } }
`;

let world: TestProject;

afterEach(() => {
  world.remove();
});

/** Calls the program in a folder of the world. */
function inFolder(folder: string, ...args: string[]): Promise<Ran> {
  mkdirSync(join(world.root, folder), { recursive: true });
  const child = spawn(process.execPath, [program, ...args], {
    cwd: join(world.root, folder),
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return finished(child);
}

function has(path: string): boolean {
  return existsSync(join(world.root, path));
}

it('a stray folder `agents` above captures no run: its steps work beside the workflow', async () => {
  world = new TestProject({ 'agents/langchain/index.js': '', 'svc/workflows/w.yaml': native });
  for (const reference of ['w', 'workflows/w.yaml']) {
    const ran = await inFolder('svc', 'run', reference);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  }
  expect([has('svc/written.txt'), has('svc/.mailroom/runs')]).toEqual([true, true]);
  expect([has('written.txt'), has('.mailroom'), has('context')]).toEqual([false, false, false]);
});

it('outside of any project a workflow that is named by its path works in its own folder, and says so', async () => {
  world = new TestProject({ 'lib/w.yaml': native.replace('touch, written.txt', "'false'") });
  const ran = await inFolder('else', 'run', '../lib/w.yaml');
  const lib = join(world.root, 'lib');
  expect(ran).toMatchObject({ code: 1, stderr: `project: ${lib}\n` });
  const resume = /^resume: {2}(mailroom -C \S+ resume \w+)$/m.exec(ran.stdout)?.[1] ?? '';
  expect(resume).toContain(`-C ${lib} `);
  expect([has('lib/.mailroom/runs'), has('else/.mailroom')]).toEqual([true, false]);
  // What was printed works where it was printed.
  const [, ...words] = resume.split(' ');
  expect(await inFolder('else', ...words)).toMatchObject({ code: 1, stderr: '' });
});

it.each([['approve'], ['why', 'abcd'], ['inbox']])(
  '%s outside a project says so, and not that it has found nothing',
  async (...words) => {
    world = new TestProject({ 'plain/.keep': '' });
    const stderr = `error E_NO_PROJECT: there is no project in ${join(world.root, 'plain')} or above it\n`;
    expect(await inFolder('plain', ...words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(stderr) as string,
    });
  },
);

it.each([
  ['status'],
  ['stop'],
  ['send', 'engineer', '-m', 'x'],
  ['run', 'w'],
  ['up', '--until-idle'],
  ['prune', '--yes'],
])('a folder that -C names and that does not exist is not the project around it: %s', async (...words) => {
  world = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'workflows/w.yaml': native });
  expect(await inFolder('.', '-C', 'nope', ...words)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      `E_NO_PROJECT: there is no folder ${join(world.root, 'nope')}\n`,
    ) as string,
  });
});

it('the search ends at the root of a repository, and a project above the current folder is named', async () => {
  world = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'a/repo/.git/HEAD': '', 'a/b/.keep': '' });
  expect(await inFolder('a/repo', 'status')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      `there is no project in ${join(world.root, 'a/repo')} or above it`,
    ) as string,
  });
  world.write('workflows/w.yaml', native);
  const ran = await inFolder('a/b', 'run', 'w');
  expect(ran).toMatchObject({ code: 0, stderr: `project: ${world.root}\n` });
  expect(has('written.txt')).toBe(true);
  // Who names it knows it.
  expect(await inFolder('a/b', '-C', world.root, 'run', 'w')).toMatchObject({ code: 0, stderr: '' });
});

it('what answers, cancels or resumes a run names the project, too', async () => {
  world = new TestProject({
    'mailroom.yaml': 'trail: off\n',
    'workflows/w.yaml': native.replace(
      '{ command: [touch, written.txt] }',
      '{ gate: { message: Write? } }\n  after: { depends_on: [write], command: [touch, written.txt] }',
    ),
    'a/.keep': '',
  });
  const named = expect.objectContaining({ stderr: `project: ${world.root}\n` }) as unknown;
  const first = world.start(['run', 'w', '--plain']);
  const ended = finished(first);
  await said(first, 'mailroom approve');
  first.kill('SIGKILL');
  await ended;
  expect(await inFolder('a', 'approve')).toEqual(named);
  expect(await inFolder('a', 'resume', 'last')).toEqual(named);
  expect(has('written.txt')).toBe(true);
  const second = world.start(['run', 'w', '--plain']);
  const cancelled = finished(second);
  await said(second, 'mailroom approve');
  expect(await inFolder('a', 'cancel', 'last')).toEqual(named);
  expect((await cancelled).code).not.toBe(0);
});

it('a run of orchestrate keeps its journal in the folder above `workflows/`, wherever it is called from', async () => {
  world = new TestProject({
    'other/mailroom.yaml': 'trail: off\n',
    'base/workflows/demo.yaml': orchestrate("'false'"),
    'base/.gitignore': '.orchestrator/\n',
  });
  const places = ['base/workflows', 'base', 'other', 'nowhere'];
  for (const [index, folder] of places.entries()) {
    const ran = await inFolder(folder, 'run', join(world.root, 'base/workflows/demo.yaml'));
    expect(ran.code).toBe(1);
    expect(world.list('base/.mailroom/runs')).toHaveLength(index + 1);
    expect(world.list('base/.orchestrator/runs')).toHaveLength(index + 1);
  }
  for (const folder of ['base/workflows', 'other', 'nowhere', ''])
    expect(has(join(folder, '.mailroom'))).toBe(false);
  world.write('base/workflows/demo.yaml', orchestrate("'true'"));
  const [first = '', second = ''] = world.list('base/.mailroom/runs');
  expect(await inFolder('base', 'resume', '--update', first)).toMatchObject({ code: 0 });
  expect(await inFolder('base/workflows', 'resume', '--update', second)).toMatchObject({ code: 0 });
});

it('no program of a workspace outside the project is taken for one of ours', async () => {
  world = new TestProject({ 'project/mailroom.yaml': '', 'project/workflows/w.yaml': native });
  world.write('work/bin/flock', `#!/bin/sh\ntouch ${world.root}/ran\n`);
  chmodSync(join(world.root, 'work/bin/flock'), 0o755);
  const args = ['-C', join(world.root, 'project'), 'run', 'w', '--workspace', join(world.root, 'work')];
  const path = `${join(world.root, 'work/bin')}:${process.env['PATH'] ?? ''}`;
  expect(await world.run(args, { PATH: path })).toMatchObject({ code: 0 });
  expect([has('work/written.txt'), has('ran')]).toEqual([true, false]);
});
