import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GitTravel } from '../../../src/extensions/workers/travel.ts';
import { roleBranch, roleCheckout } from '../../../src/kernel/work.ts';
import { started } from '../../git/counted.ts';
import { project, thread } from '../../git/roles-at-work.ts';

describe('a checkout of a worker', () => {
  /** A project, and what a worker does there for a turn. */
  function worker() {
    const { root, git, main } = project();
    const branch = roleBranch(thread, 'one');
    const path = join(root, '.mailroom/worktrees', roleCheckout(thread, 'one'));
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

describe('the git processes of a turn on a worker', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are three where it lays out a commit, and two where it finds nothing changed', async () => {
    const { root, role, main } = project();
    const travel = new GitTravel({ project: root, git: root, isOrigin: false, secrets: [] });
    const turn = (name: string) => ({ turn: 't1', role: name, thread, branch: roleBranch(thread, name) });
    await travel.place(role('one').path, turn('one'), main, 'refs/mailroom/turns/one/begin');
    const { path } = role('two');
    const place = () => travel.place(path, turn('two'), main, 'refs/mailroom/turns/two/begin');
    expect((await started(root, place)).toSorted()).toEqual(['config', 'read-tree', 'update-ref']);
    const work = { ok: true, value: { commit: main, head: main } };
    const pack = async () => expect(await travel.pack(path, turn('two'))).toEqual(work);
    expect((await started(root, pack)).toSorted()).toEqual(['cat-file', 'ls-files']);
  });
});
