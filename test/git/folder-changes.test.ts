import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchFolder, type FolderWatch } from '../../src/git/folder-changes.ts';

/* What git can tell as a user for whom modes count: as root a test says nothing about modes. */

let folder: string;
let workspace: string;
beforeEach(() => {
  // The folder of our own temporary files shows nothing to other users.
  folder = mkdtempSync('/tmp/mailroom-changes-');
  chmodSync(folder, 0o777);
  if (process.getuid?.() === 0) process.seteuid?.(12_345);
  workspace = join(folder, 'workspace');
  mkdirSync(join(workspace, 'sub'), { recursive: true });
  // Root's folders of programs may be closed to others.
  vi.stubEnv('PATH', '/usr/local/bin:/usr/bin:/bin');
  vi.stubEnv('HOME', folder);
  vi.stubEnv('TMPDIR', folder);
  execFileSync('git', ['init', '-q'], { cwd: workspace });
  for (const name of ['kept.txt', 'sub/inner.txt']) writeFileSync(join(workspace, name), 'old\n');
});
afterEach(() => {
  vi.unstubAllEnvs();
  if (process.getuid?.() === 0) process.seteuid?.(0);
  rmSync(folder, { recursive: true });
});

/** The changed paths, or why there are none. */
async function pathsOf(watch: FolderWatch): Promise<readonly string[] | string | undefined> {
  const changes = await watch();
  return typeof changes === 'string' ? changes : changes?.paths;
}

it('says which of the changed files git did not track before, whatever was added since', async () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace });
  git('add', 'sub');
  const below = await watchFolder(join(workspace, 'sub'), workspace);
  const watch = await watchFolder(workspace, workspace);
  for (const name of ['kept.txt', 'sub/inner.txt', 'sub/made.txt'])
    appendFileSync(join(workspace, name), 'x');
  git('add', '-A');
  git('rm', '-q', '--cached', 'sub/inner.txt');
  expect(await watch()).toEqual({
    paths: ['kept.txt', 'sub/inner.txt', 'sub/made.txt'],
    untracked: ['kept.txt', 'sub/made.txt'],
  });
  expect(await below()).toEqual({ paths: ['inner.txt', 'made.txt'], untracked: ['made.txt'] });
});

it.each([
  ['a file', 'sub/inner.txt'],
  ['a new file', 'sub/made.txt'],
])('says why it cannot tell what changed where an agent lets nobody read %s', async (_what, name) => {
  const watch = await watchFolder(workspace, workspace);
  appendFileSync(join(workspace, 'kept.txt'), 'changed\n');
  expect(await pathsOf(watch)).toEqual(['kept.txt']);
  appendFileSync(join(workspace, name), 'changed\n');
  chmodSync(join(workspace, name), 0);
  expect(await watch()).toBe(`open("${name}"): Permission denied`);
  chmodSync(join(workspace, name), 0o600);
  expect(await pathsOf(watch)).toEqual(['kept.txt', name]);
});

it.each(['sub', 'new', 'sub/new', 'a\nb'])(
  'passes over no folder %s that an agent has closed',
  async (name) => {
    const watch = await watchFolder(workspace, workspace);
    mkdirSync(join(workspace, name), { recursive: true });
    appendFileSync(join(workspace, name, 'made.txt'), 'made\n');
    chmodSync(join(workspace, name), 0);
    const changes = [await pathsOf(watch), await pathsOf(await watchFolder(workspace, workspace))];
    chmodSync(join(workspace, name), 0o700);
    // One that was closed before says nothing of who runs now.
    expect(changes).toEqual([`git cannot read the folder ${JSON.stringify(`${name}/`)}`, []]);
    expect(await pathsOf(watch)).toEqual([`${name}/made.txt`]);
  },
);

it('knows a closed folder by its place in the workspace, and leaves out our own', async () => {
  const below = join(workspace, 'sub');
  const watches = [await watchFolder(below, workspace), await watchFolder(workspace, workspace)];
  for (const name of ['sub/new', 'agents/one/outbox']) mkdirSync(join(workspace, name), { recursive: true });
  writeFileSync(join(workspace, 'agents/one/outbox/x.md'), 'x');
  chmodSync(join(workspace, 'agents/one/outbox'), 0);
  expect(await pathsOf(watches[1]!)).toEqual([]);
  chmodSync(join(workspace, 'sub/new'), 0);
  const changes = await watches[0]!();
  for (const name of ['sub/new', 'agents/one/outbox']) chmodSync(join(workspace, name), 0o700);
  expect(changes).toBe('git cannot read the folder "new/"');
});

it.each(['--assume-unchanged', '--skip-worktree'])('believes no flag %s of the index', async (flag) => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace });
  git('add', '-A');
  const watch = await watchFolder(workspace, workspace);
  git('update-index', flag, 'kept.txt', 'sub/inner.txt');
  expect(await pathsOf(watch)).toEqual([]);
  appendFileSync(join(workspace, 'kept.txt'), 'changed\n');
  rmSync(join(workspace, 'sub/inner.txt'));
  expect(await pathsOf(watch)).toEqual(['kept.txt', 'sub/inner.txt']);
});

it('takes what a sparse checkout leaves out for no change', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: workspace,
      stdio: 'pipe',
    });
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('sparse-checkout', 'set', '--no-cone', '/kept.txt');
  const watch = await watchFolder(workspace, workspace);
  expect(await pathsOf(watch)).toEqual([]);
  appendFileSync(join(workspace, 'kept.txt'), 'changed\n');
  expect(await pathsOf(watch)).toEqual(['kept.txt']);
});
