import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../process/support.ts';
import { commitOf, gitIn, problemOf, project } from './roles-at-work.ts';

/** A role that has begun its work in a checkout of its own, and what it does to that. */
async function begun() {
  const place = project();
  const one = place.role('one');
  const entered = commitOf(await one.enter());
  one.put('new.txt', 'new\n');
  const own = join(place.root, '.git/worktrees', basename(one.path));
  return { ...place, one, entered, own };
}

describe('an agent that', () => {
  it.each<[string, (path: string) => void]>([
    ['removes the `.git` of its checkout', () => {}],
    [
      'makes it name another repository',
      (path) => {
        const other = temporaryFolder();
        execFileSync('git', ['init', '-q', other]);
        writeFileSync(join(path, '.git'), `gitdir: ${other}/.git\n`);
      },
    ],
  ])('%s loses no work, and gets the checkout back', async (_what, act) => {
    const { root, git, one, entered, own } = await begun();
    const staged = git('write-tree');
    rmSync(join(one.path, '.git'));
    act(one.path);
    const commit = commitOf(await one.leave(entered));
    expect(git('show', '--name-status', '--format=', commit)).toBe('A\tnew.txt');
    expect(readFileSync(join(one.path, '.git'), 'utf8')).toBe(`gitdir: ${own}\n`);
    expect([git('write-tree'), existsSync(join(root, 'new.txt'))]).toEqual([staged, false]);
    one.put('left.txt', 'left\n');
    rmSync(join(one.path, '.git'));
    act(one.path);
    const next = commitOf(await one.enter([]));
    expect(git('show', '--name-status', '--format=%s', next)).toBe(
      'Keep what was left in the checkout of one\n\nA\tleft.txt',
    );
  });

  it('puts a repository of its own there is told so, and nothing is committed', async () => {
    const { git, one, entered } = await begun();
    rmSync(join(one.path, '.git'));
    execFileSync('git', ['init', '-q', one.path]);
    gitIn(one.path, 'commit', '-q', '--allow-empty', '-m', 'mine');
    for (const ended of [await one.leave(entered), await one.enter([])])
      expect(problemOf(ended)).toBe(
        `\`${one.path}/.git\` is a repository of its own in the place of a checkout: move it elsewhere, then try again`,
      );
    expect(git('rev-parse', one.ref)).toBe(entered);
    rmSync(join(one.path, '.git'), { recursive: true });
    expect(git('show', '--name-only', '--format=', commitOf(await one.leave(entered)))).toBe('new.txt');
  });

  it('leaves the locks of its git behind can work again in its next turn', async () => {
    const { one, entered, own } = await begun();
    const locks = ['index.lock', 'HEAD.lock'].map((name) => join(own, name));
    for (const lock of locks) writeFileSync(lock, '');
    const commit = commitOf(await one.leave(entered));
    commitOf(await one.enter([commit]));
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
    one.put('more.txt', 'more\n');
    one.git('add', '-A');
  });

  it('rewrites the history of its branch is told what the branch must contain', async () => {
    const { git, one, main } = await begun();
    const first = commitOf(await one.leave(main));
    commitOf(await one.enter([first]));
    one.git('commit', '-q', '--amend', '--allow-empty', '-m', 'mine');
    const mine = one.git('rev-parse', 'HEAD');
    expect(problemOf(await one.leave(first))).toBe(
      `somebody moved the branch ${one.ref.slice('refs/heads/'.length)} to ${mine}, which does not contain ${first}: ` +
        `\`git update-ref ${one.ref} ${first}\` moves it back`,
    );
    expect(git('rev-parse', one.ref)).toBe(mine);
    git('update-ref', one.ref, first);
    expect(commitOf(await one.leave(first))).toBe(first);
  });
});
