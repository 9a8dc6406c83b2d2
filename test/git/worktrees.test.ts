import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureWorktree } from '../../src/git/workspace-tree.ts';
import { Worktrees } from '../../src/git/worktrees.ts';
import { temporaryFolder } from '../process/support.ts';

const thread = '019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27';

const worktreesOf = (root: string) => new Worktrees(root, () => Promise.resolve([]));

/** A project with one commit, and the checkout that a thread has of it. */
async function project() {
  const root = join(temporaryFolder(), 'project');
  const checkout = join(root, '.mailroom/worktrees', thread);
  const git = (...args: string[]) => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    return execFileSync('git', [...who, ...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  };
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put('file.txt', 'old\n');
  git('init', '-qb', 'main');
  put('.git/info/exclude', '.mailroom\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  const make = () => ensureWorktree(root, checkout, thread);
  expect(await make()).toBeNull();
  return { root, checkout, git, put, make };
}

describe('merging what a thread made', () => {
  it('leaves a merge of the person alone', async () => {
    const { root, checkout, git, put } = await project();
    git('checkout', '-qb', 'other');
    put('file.txt', 'other\n');
    git('commit', '-qam', 'other');
    git('checkout', '-q', 'main');
    put('file.txt', 'main\n');
    git('commit', '-qam', 'main');
    expect(() => git('merge', 'other')).toThrow('merge other');
    put('file.txt', 'put together by hand\n');
    writeFileSync(join(checkout, 'made.txt'), 'by the thread\n');
    await expect(worktreesOf(root).merge({ thread, role: null }, 'subject')).rejects.toMatchObject({
      code: 'E_REFUSED',
      message: expect.stringContaining('a merge is in progress'),
    });
    expect(readFileSync(join(root, 'file.txt'), 'utf8')).toBe('put together by hand\n');
    expect(git('rev-parse', '--verify', 'MERGE_HEAD').trim()).not.toBe('');
  });
});

it.each([
  ['its HEAD', ['-C', `.mailroom/worktrees/${thread}`, 'symbolic-ref', 'HEAD', 'refs/heads/release']],
  ['its branch', ['symbolic-ref', `refs/heads/mailroom-${thread}`, 'refs/heads/release']],
])('commits what a thread made to its own branch, whatever %s names', async (_, aim) => {
  const { root, checkout, git } = await project();
  git('branch', 'release');
  git(...aim);
  writeFileSync(join(checkout, 'made.txt'), 'by the thread\n');
  await worktreesOf(root).remove({ thread, role: null }, 'subject');
  expect(git('log', '--format=%s', 'release')).toBe('first\n');
  expect(git('log', '--format=%s', `mailroom-${thread}`)).toBe('subject\nfirst\n');
});

describe('a checkout with submodules', () => {
  const owner = { thread, role: null };

  /** A library in the place `vendor` of the project, and checked out for the thread. */
  async function withLibrary() {
    const library = await project();
    const { root, checkout, git } = await project();
    const local = ['-c', 'protocol.file.allow=always'];
    git(...local, 'submodule', '--quiet', 'add', library.root, 'vendor');
    git('commit', '-qm', 'library');
    git('-C', checkout, 'merge', '-q', '--ff-only', 'main');
    git('-C', checkout, ...local, 'submodule', '--quiet', 'update', '--init');
    return { root, checkout, git, vendor: join(checkout, 'vendor') };
  }

  it('that are as their commits say is removed, or merged', async () => {
    const { root, checkout, git } = await withLibrary();
    writeFileSync(join(checkout, 'made.txt'), 'by the thread\n');
    await worktreesOf(root).remove(owner, 'subject');
    expect(existsSync(checkout)).toBe(false);
    expect(git('show', '--name-only', '--format=', `mailroom-${thread}`)).toBe('made.txt\n');
    const other = await withLibrary();
    writeFileSync(join(other.checkout, 'made.txt'), 'by the thread\n');
    await worktreesOf(other.root).merge(owner, 'subject');
    expect(readFileSync(join(other.root, 'made.txt'), 'utf8')).toBe('by the thread\n');
  });

  it.each([
    ['a changed file', 'file.txt', [], '`file.txt` is not committed there'],
    ['a new file', 'new.txt', [], '`new.txt` is not committed there'],
    [
      'a commit',
      'new.txt',
      [
        ['add', '-A'],
        ['commit', '-qm', 'new'],
      ],
      /its commit \w{12} was not pushed/,
    ],
    [
      'a commit on another branch',
      'new.txt',
      [
        ['switch', '-qc', 'aside'],
        ['add', '-A'],
        ['commit', '-qm', 'new'],
        ['switch', '-q', '--detach', 'HEAD~1'],
      ],
      /its commit \w{12} was not pushed/,
    ],
    ['a stash', 'file.txt', [['stash', '-q']], /its commit \w{12} was not pushed/],
  ] as const)('is not removed with %s in one, which is nowhere else', async (_, file, acts, why) => {
    const { root, git, vendor } = await withLibrary();
    writeFileSync(join(vendor, file), 'changed\n');
    for (const act of acts) git('-C', vendor, ...act);
    const refused = expect.objectContaining({
      code: 'E_REFUSED',
      message: expect.stringMatching(
        typeof why === 'string' ? why : new RegExp(`^the submodule vendor .* nowhere else: ${why.source}$`),
      ) as string,
    }) as Error;
    await expect(worktreesOf(root).remove(owner, 'subject')).rejects.toEqual(refused);
    await expect(worktreesOf(root).merge(owner, 'subject')).rejects.toEqual(refused);
    expect(existsSync(vendor)).toBe(true);
  });

  it('starts no program that one configures', async () => {
    const { root, checkout, git, vendor } = await withLibrary();
    for (const [name, value] of [
      ['core.fsmonitor', 'touch ran; false'],
      ['filter.x.clean', 'touch ran; cat'],
      ['diff.external', 'touch ran'],
    ] as const)
      git('-C', vendor, 'config', name, value.replace('ran', join(root, 'ran')));
    writeFileSync(join(vendor, '.gitattributes'), '* filter=x\n');
    await expect(worktreesOf(root).remove(owner, 'subject')).rejects.toThrow('nowhere else');
    rmSync(join(vendor, '.gitattributes'));
    await worktreesOf(root).remove(owner, 'subject');
    expect([existsSync(join(root, 'ran')), existsSync(checkout)]).toEqual([false, false]);
  });
});

describe('listing worktrees', () => {
  it('says what git cannot tell', async () => {
    const { root, git } = await project();
    expect(await worktreesOf(root).list()).toMatchObject([{ uncommitted: 0, unmerged: 0 }]);
    writeFileSync(join(root, '.git/worktrees', thread, 'index'), 'no index');
    git('checkout', '-q', '--orphan', 'unborn');
    expect(await worktreesOf(root).list()).toMatchObject([{ uncommitted: null, unmerged: null }]);
  });
});

describe('making the worktree of a thread', () => {
  it('forgets the one that was deleted, and none of the person whose disk is not there now', async () => {
    const { root, checkout, git, make } = await project();
    const away = join(dirname(root), 'away');
    git('worktree', 'add', '-q', join(dirname(root), 'theirs'));
    renameSync(join(dirname(root), 'theirs'), away);
    renameSync(checkout, join(dirname(root), 'deleted'));
    expect(await make()).toBeNull();
    expect(readFileSync(join(checkout, 'file.txt'), 'utf8')).toBe('old\n');
    renameSync(away, join(dirname(root), 'theirs'));
    expect(git('-C', '../theirs', 'status', '--porcelain')).toBe('');
  });

  it('is done once for turns that begin at the same time, and each has all of it', async () => {
    const { root, git } = await project();
    const other = '019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a28';
    const checkout = join(root, '.mailroom/worktrees', other);
    const make = async () => [
      await ensureWorktree(root, checkout, other),
      readFileSync(join(checkout, 'file.txt'), 'utf8'),
    ];
    expect(await Promise.all([make(), make()])).toEqual([
      [null, 'old\n'],
      [null, 'old\n'],
    ]);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(3);
  });
});
