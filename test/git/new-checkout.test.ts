import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeCheckout } from '../../src/git/role-checkout.ts';
import { GitTravel } from '../../src/host/runner/travel.ts';
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

describe('a checkout of a worker', () => {
  /** A project, and what a worker does there for a turn. */
  function worker() {
    const { root, git, main, branch, path } = begun();
    git('branch', '-D', branch);
    const turn = { turn: 't1', role: 'one', thread, branch };
    const travel = new GitTravel({ project: root, git: root, isOrigin: false, secrets: [] });
    const commit = (file: string) => {
      writeFileSync(join(root, file), file);
      git('add', file);
      git('commit', '-qm', file);
      const id = git('rev-parse', 'HEAD');
      git('reset', '-q', '--hard', main);
      return id;
    };
    return {
      root,
      path,
      git,
      commit,
      clear: (id: string) => travel.clear(path, turn, id),
      place: (id: string) => travel.place(path, turn, id, 'refs/mailroom/turns/one/begin'),
      pack: () => travel.pack(path, turn),
    };
  }
  const done = { ok: true, value: undefined };

  it('has nothing of one whose host was killed before its files were laid out', async () => {
    const { path, commit, place, pack } = worker();
    const [first, second] = [commit('first.txt'), commit('second.txt')];
    expect(await place(first)).toEqual(done);
    const index = execFileSync('git', ['rev-parse', '--git-path', 'index'], { cwd: path, encoding: 'utf8' });
    rmSync(index.trim());
    expect(await place(second)).toEqual(done);
    expect(existsSync(join(path, 'first.txt'))).toBe(false);
    expect(await pack()).toEqual({ ok: true, value: { commit: second, head: second } });
  });

  it.each<[string, (path: string) => void]>([
    [
      'a changed file of the same size',
      (path) => writeFileSync(join(path, 'kept.txt'), 'ONE\ntwo\nthree\nfour\nfive\nsix\n'),
    ],
    ['a new file', (path) => writeFileSync(join(path, 'new.txt'), 'new')],
    ['a deleted file', (path) => rmSync(join(path, 'kept.txt'))],
    [
      'a file that its agent staged',
      (path) => {
        writeFileSync(join(path, 'new.txt'), 'new');
        execFileSync('git', ['add', 'new.txt'], { cwd: path });
      },
    ],
  ])('is packed with %s', async (_, change) => {
    const { path, git, commit, place, pack } = worker();
    const begin = commit('first.txt');
    expect(await place(begin)).toEqual(done);
    change(path);
    const packed = await pack();
    if (!packed.ok) return expect.fail(packed.problem);
    expect(git('diff', '--name-only', begin, packed.value.commit)).toMatch(/^(?:kept|new)\.txt$/);
  });

  it('is cleared after its turn, whenever the next turn begins', async () => {
    const { path, commit, place, clear, pack } = worker();
    const [first, second] = [commit('first.txt'), commit('second.txt')];
    const work = async () => {
      expect(await place(first)).toEqual(done);
      writeFileSync(join(path, 'made.txt'), 'made');
      expect(await pack()).not.toMatchObject({ value: { commit: first } });
    };
    await work();
    await clear(first);
    expect(existsSync(join(path, 'made.txt'))).toBe(false);
    for (const together of [
      () => Promise.all([clear(first), place(second)]),
      () => Promise.all([place(second), clear(first)]),
    ]) {
      await work();
      await together();
      expect(existsSync(join(path, 'first.txt'))).toBe(false);
      writeFileSync(join(path, 'more.txt'), 'more');
      // What its agent makes meanwhile stays.
      expect(await pack()).not.toMatchObject({ value: { commit: second } });
    }
  });

  it('is packed with what its agent committed', async () => {
    const { path, git, commit, place, pack } = worker();
    const begin = commit('first.txt');
    await place(begin);
    writeFileSync(join(path, 'new.txt'), 'new');
    git('-C', path, 'add', '-A');
    git('-C', path, 'commit', '-qm', 'new');
    const head = git('-C', path, 'rev-parse', 'HEAD');
    expect(await pack()).toEqual({ ok: true, value: { commit: head, head } });
  });
});
