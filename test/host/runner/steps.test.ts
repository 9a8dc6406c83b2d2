import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ProcessStepRunner } from '../../../src/host/runner/steps.ts';
import { fixture, freshMark, lives, marked, temporaryFolder, until } from '../../process/support.ts';
import type { Exit } from '../../../src/providers/provider.ts';
import type { ProcessJob } from '../../../src/host/runner/runner.ts';

/** How a step ends that leaves `begun.txt` in its workspace. */
function endOf(
  workspace: string,
  changes: Partial<ProcessJob>,
  after: (runner: ProcessStepRunner) => void = () => {},
  held?: (problem: string) => void,
  unread: (problem: string) => void = expect.unreachable,
): Promise<Exit> {
  const argv = ['sh', '-c', 'echo begun > begun.txt'];
  const command = { argv, env: {}, inherit: ['PATH'], files: {}, stdin: '', writable: [] };
  const file = (name: string) => join(workspace, name);
  const limits = { totalMs: null, idleMs: null, graceMs: null };
  const places = { workspace, folder: workspace, stdout: file('out'), stderr: file('err') };
  return new Promise((resolve) => {
    const runner = new ProcessStepRunner(
      { project: workspace, mark: 'step-runner-test:', secrets: [], contain: () => ({ kind: 'group' }) },
      {
        ended: (_key, ended) => resolve(ended),
        unread: (_key, problem) => unread(problem),
        ...(held && { held: (_key, problem) => held(problem) }),
      },
    );
    const reach = { capabilities: null, owed: [], writable: [workspace], guarded: [], watched: [] };
    const author = { kind: 'program', provider: null, network: true, mayConfigure: false } as const;
    runner.start({ key: 'a', ...author, ...reach, command, ...places, ...limits, ...changes });
    after(runner);
  });
}

it('never begins what is stopped while it still looks at what lies in the workspace', async () => {
  const workspace = temporaryFolder();
  const exit = await endOf(workspace, { watched: [workspace] }, (runner) => runner.stop('a'));
  expect(exit).toMatchObject({ ended: 'spawn-failed', error: 'it was stopped before it began' });
  expect(existsSync(join(workspace, 'begun.txt'))).toBe(false);
});

it('tells the end of an agent for which no folder can be made', async () => {
  const workspace = temporaryFolder();
  vi.stubEnv('TMPDIR', join(workspace, 'nowhere'));
  const exit = await endOf(workspace, { kind: 'agent', provider: 'claude' });
  vi.unstubAllEnvs();
  expect(exit.ended).toBe('spawn-failed');
  expect(exit.error).toContain('ENOENT');
});

it('runs a program once whose changes no temporary folder lets it see, and sees them once one does', async () => {
  const [workspace, temporary] = [temporaryFolder(), join(temporaryFolder(), 'tmp')];
  mkdirSync(temporary);
  execFileSync('git', ['init', '--quiet'], { cwd: workspace });
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const script = `echo begun >> begun.txt; mv '${temporary}' '${temporary}.away'`;
  const argv = ['sh', '-c', script];
  const command = { argv, env: {}, inherit: ['PATH'], files: {}, stdin: '', writable: [] };
  const faults: string[] = [];
  const exit = await endOf(workspace, { command, watched: [workspace] }, undefined, undefined, (fault) => {
    faults.push(fault);
    renameSync(`${temporary}.away`, temporary);
  });
  expect(exit).toMatchObject({ ended: 'exited', code: 0 });
  expect(faults).toEqual([expect.stringMatching(/^no temporary folder can be made in .*: ENOENT/)]);
  expect(readFileSync(join(workspace, 'begun.txt'), 'utf8')).toBe('begun\n');
});

it.each([
  ['unshare: fork failed: Resource temporarily unavailable', 1],
  ['bwrap: Creating new namespace failed: No space left on device', 1],
  ['setpriv: failed to execute unshare: Cannot allocate memory', 126],
])('holds a program that was not started, although its starter was: %s', async (said, code) => {
  const workspace = temporaryFolder();
  const argv = ['sh', '-c', `echo '${said}' >&2; exit ${String(code)}`];
  const command = { argv, env: {}, inherit: ['PATH'], files: {}, stdin: '', writable: [] };
  const held = await new Promise<string>((resolve) => {
    void endOf(workspace, { command }, () => {}, resolve).then(({ stderr }) => resolve(`ended: ${stderr}`));
  });
  expect(held).toBe(`no process can be started: ${said}`);
});

it.each([
  ['unshare: fork failed: Resource temporarily unavailable', 0],
  ['sh: 1: Cannot fork', 2],
  ['bash: fork: Resource temporarily unavailable', 254],
  ['make: fork: Resource temporarily unavailable', 2],
  ['sh: 1: make: not found', 127],
  ['building\nsh: 1: Cannot fork', 2],
])('a program of its own that says so has ended: %s', async (said, code) => {
  const argv = ['sh', '-c', `printf '%s' '${said}' >&2; exit ${String(code)}`];
  const command = { argv, env: {}, inherit: ['PATH'], files: {}, stdin: '', writable: [] };
  const ended = await endOf(temporaryFolder(), { command }, () => {}, expect.unreachable);
  expect(ended).toMatchObject({ ended: 'exited', code });
});

it('tells the beginning and the end of a long output, and cuts no character', async () => {
  const workspace = temporaryFolder();
  const script = `process.stdout.write('a' + 'é'.repeat(200_000) + 'z')`;
  const argv = [process.execPath, '-e', script];
  const command = { argv, env: {}, inherit: [], files: {}, stdin: '', writable: [] };
  const { stdout } = await endOf(workspace, { command });
  expect(stdout).toMatch(/^aé+\n\[… 72322 bytes …\]\né+z$/);
});

it('looks for what an earlier host has left running, unless there was none', async () => {
  const mark = freshMark();
  const env = { PATH: process.env['PATH']!, MAILROOM_MARK: `${mark}a` };
  const left = spawn('sh', [fixture('hangs.sh')], { env, detached: true, stdio: 'ignore' }).pid!;
  await until('it is marked', () => marked(mark).length === 1);
  const options = {
    project: temporaryFolder(),
    mark,
    secrets: [],
    contain: () => ({ kind: 'group' }) as const,
  };
  await new ProcessStepRunner({ ...options, isFirst: true }, { ended: () => {} }).sweep();
  expect(lives(left)).toBe(true);
  await new ProcessStepRunner(options, { ended: () => {} }).sweep();
  expect(lives(left)).toBe(false);
});
