import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { landWork } from '../../src/git/land-work.ts';
import { temporaryFolder } from '../process/support.ts';
import { commitOf, nothingApproved, project, projectAt } from './roles-at-work.ts';

/*
 * Disks that refuse: a small file system of its own that is full, and a repository that is mounted read-only. Where that is
 * not allowed, the system's limit of the size of a file, and folders without permission to write.
 */

function isDone(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0;
}

const megabyte = 1024 * 1024;
const large = randomBytes(3 * megabyte);

/** A project on a disk without room for a large file, and how it gets some. */
function crowded() {
  const base = temporaryFolder();
  const { root } = project();
  const isMounted = isDone('mount', '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', base);
  execFileSync('cp', ['-a', root, join(base, 'project')]);
  if (isMounted) onTestFinished(() => void execFileSync('umount', ['-l', base]));
  const filler = join(base, 'filler');
  const limit = (bytes: string) =>
    void execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  const fill = () => {
    const { bavail, bsize } = statfsSync(base);
    if (isMounted) writeFileSync(filler, Buffer.alloc(bavail * bsize - megabyte));
    else limit(String(2 * megabyte));
  };
  const free = () => (isMounted ? rmSync(filler, { force: true }) : limit('unlimited'));
  onTestFinished(free);
  return { ...projectAt(join(base, 'project')), fill, free };
}

/** Forbids writing into a folder; returns how that ends. */
function forbidWriting(folder: string): () => void {
  const isMounted =
    isDone('mount', '--bind', folder, folder) && isDone('mount', '-o', 'remount,bind,ro', folder);
  if (!isMounted) execFileSync('chmod', ['-R', 'a-w', folder]);
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    if (isMounted) execFileSync('umount', ['-l', folder]);
    else execFileSync('chmod', ['-R', 'u+w', folder]);
  };
  onTestFinished(end);
  return end;
}

const landing = (commit: string) =>
  ({ commit, branch: 'main', by: 'merge', author: 'one', text: 'Land\n' }) as const;

describe('a full disk', () => {
  it('lets a turn leave its work only once there is room, and then all of it', async () => {
    const { git, role, fill, free } = crowded();
    const one = role('one');
    const entered = commitOf(await one.enter());
    writeFileSync(join(one.path, 'large.bin'), large);
    fill();
    expect(await one.leave(entered)).toMatchObject({ ok: false });
    expect(git('rev-parse', one.ref)).toBe(entered);
    free();
    const commit = commitOf(await one.leave(entered));
    expect(git('rev-parse', `${commit}^`)).toBe(entered);
    expect(git('cat-file', '-s', `${commit}:large.bin`)).toBe(String(large.length));
    expect(git('fsck', '--strict')).not.toContain('error');
  });

  it('blocks a landing, and the same call finishes it later', async () => {
    const { root, git, role, fill, free } = crowded();
    const main = git('rev-parse', 'main');
    const one = role('one');
    const entered = commitOf(await one.enter());
    writeFileSync(join(one.path, 'large.bin'), large);
    const commit = commitOf(await one.leave(entered));
    fill();
    expect(await landWork(root, 'run/land', landing(commit), nothingApproved)).toMatchObject({ ok: false });
    // The files of the checkout may be what has no room.
    expect([main, commit]).toContain(git('rev-parse', 'main'));
    free();
    expect(await landWork(root, 'run/land', landing(commit), nothingApproved)).toMatchObject({ ok: true });
    expect(git('rev-parse', 'main')).toBe(commit);
    expect(readFileSync(join(root, 'large.bin')).equals(large)).toBe(true);
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('a folder that is read-only', () => {
  it('lets no turn leave while it is the repository, and keeps the work for later', async () => {
    const { root, git, role } = project();
    const one = role('one');
    const entered = commitOf(await one.enter());
    one.put('new.txt', 'new\n');
    const allow = forbidWriting(join(root, '.git'));
    expect(await one.leave(entered)).toMatchObject({ ok: false });
    expect([git('rev-parse', one.ref), one.read('new.txt')]).toEqual([entered, 'new\n']);
    allow();
    const commit = commitOf(await one.leave(entered));
    expect(git('show', `${commit}:new.txt`)).toBe('new');
  });

  it('lets no turn begin while it is the folder of checkouts', async () => {
    const { root, git, role, main } = project();
    const one = role('one');
    commitOf(await one.enter());
    const allow = forbidWriting(join(root, '.mailroom/worktrees'));
    const two = role('two');
    expect(await two.enter()).toMatchObject({ ok: false });
    allow();
    expect(commitOf(await two.enter())).toBe(main);
    expect(git('rev-parse', two.ref)).toBe(main);
  });

  it('blocks a landing while it is the checkout of the branch, and lets it land later', async () => {
    const { root, git, put, role } = project();
    put('part/kept.txt', 'kept\n');
    git('add', '-A');
    git('commit', '-qm', 'part');
    const main = git('rev-parse', 'main');
    const commit = await role('one').does({ 'part/kept.txt': 'changed\n' });
    const allow = forbidWriting(join(root, 'part'));
    const landed = await landWork(root, 'run/land', landing(commit), nothingApproved);
    expect(landed).toMatchObject({ ok: false });
    allow();
    expect(await landWork(root, 'run/land', landing(commit), nothingApproved)).toMatchObject({ ok: true });
    expect(git('rev-list', '--count', `${main}..main`)).toBe('1');
    expect(readFileSync(join(root, 'part/kept.txt'), 'utf8')).toBe('changed\n');
    expect(git('status', '--porcelain')).toBe('');
  });
});
