import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeCheckout } from '../../src/git/role-checkout.ts';
import { roleBranch, roleCheckout } from '../../src/kernel/work.ts';
import { project, thread } from './roles-at-work.ts';

/** A project with a branch that is checked out nowhere, and the place for its checkout. */
function begun() {
  const { root, git, main } = project();
  const branch = roleBranch(thread, 'one');
  git('branch', branch);
  return { root, git, main, branch, path: join(root, '.mailroom/worktrees', roleCheckout(thread, 'one')) };
}

describe('a new checkout', () => {
  it('is to git what git itself makes', () => {
    const [ours, theirs] = [begun(), begun()];
    expect(makeCheckout(ours.root, ours.path, ours.branch)).toBe(true);
    theirs.git('worktree', 'add', '-q', '--no-checkout', theirs.path, theirs.branch);
    const [our, their] = [ours, theirs].map(({ git, root, main }) => {
      const listed = git('worktree', 'list', '--porcelain');
      git('-C', join(root, '.mailroom/worktrees', roleCheckout(thread, 'one')), 'reset', '-q', '--hard');
      return [listed.replaceAll(root, '/root').replaceAll(main, 'main'), git('worktree', 'prune', '-nv')];
    });
    expect(our).toEqual(their);
    expect(ours.git('-C', ours.path, 'status', '--porcelain')).toBe('');
  });

  it('takes the place of one that was deleted by hand', () => {
    const { root, git, branch, path } = begun();
    makeCheckout(root, path, branch);
    git('-C', path, 'reset', '-q', '--hard');
    rmSync(path, { recursive: true });
    expect(makeCheckout(root, path, branch)).toBe(true);
    expect(git('-C', path, 'diff', '--cached', '--name-only', '--diff-filter=D')).toContain('kept.txt');
  });

  it.each<[string, (of: ReturnType<typeof begun>) => void]>([
    ['its branch is checked out elsewhere', ({ git, branch }) => git('checkout', '-q', branch)],
    [
      'its branch is in another worktree',
      ({ git, root, branch }) => git('worktree', 'add', '-q', `${root}-2`, branch),
    ],
    [
      'somebody locked it',
      ({ git, root, branch, path }) => {
        makeCheckout(root, path, branch);
        git('worktree', 'lock', path);
        rmSync(path, { recursive: true });
      },
    ],
    ['there are files', ({ path }) => write(join(path, 'file.txt'))],
    [
      'another worktree has its name',
      ({ git, root, path }) =>
        git('worktree', 'add', '-q', '--detach', join(`${root}-2`, path.slice(dirname(path).length + 1))),
    ],
    ['worktrees have settings of their own', ({ root }) => write(join(root, '.git/config.worktree'))],
  ])('is left to git where %s', (_, change) => {
    const of = begun();
    change(of);
    expect(makeCheckout(of.root, of.path, of.branch)).toBe(false);
    rmSync(`${of.root}-2`, { recursive: true, force: true });
  });
});

function write(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
}
