import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isUndone, undoLanding } from '../../src/git/undo-landing.ts';
import type { LandingWay } from '../../src/kernel/work.ts';
import { project, withLine } from './landing-project.ts';

/** Two commits of one author, merged by another one: what `main` gets is the merge. */
async function landed(by: LandingWay) {
  const place = project();
  const { git, work, land, at, root } = place;
  const one = work({ 'kept.txt': withLine(0, 'ONE') }, 'main', 'One');
  const two = work({ 'one.txt': 'one\n' }, one, 'Two');
  const other = work({ 'other.txt': 'other\n' }, 'main', 'Other');
  git('checkout', '-q', '--detach', other);
  git('merge', '-q', '--no-ff', '-m', 'Both', two);
  const merged = at('HEAD');
  git('checkout', '-q', 'main');
  const before = at('main');
  await land(merged, by);
  const commit = at('main');
  const undo = (more = {}) =>
    undoLanding(root, { branch: 'main', commit, before, title: 'the work', ...more });
  return { ...place, before, commit, undo };
}

const files = (git: (...args: string[]) => string, name: string) => git('ls-tree', '-r', name);

describe('a landing', () => {
  it('is one commit that begins where the branch was, which git alone can take back', async () => {
    for (const by of ['merge', 'squash'] as const) {
      const { git, before, commit, at } = await landed(by);
      expect(git('rev-list', '--first-parent', `${before}..main`)).toBe(commit);
      expect(at('main^1')).toBe(before);
      git('revert', '--no-edit', '-m', '1', commit);
      expect(files(git, 'main')).toBe(files(git, before));
    }
  });

  it('is taken back by one commit, and what came later stays', async () => {
    for (const by of ['merge', 'rebase', 'squash'] as const) {
      const { root, git, work, land, undo, at, before, commit, read, status } = await landed(by);
      await land(work({ 'kept.txt': withLine(0, 'ONE').replace('six', 'SIX'), 'later.txt': 'later\n' }));
      const tip = at('main');
      expect(await undo()).toBe(at('main'));
      expect(await isUndone(root, tip, at('main'))).toBe(true);
      expect(await isUndone(root, commit, at('main'))).toBe(false);
      expect(await isUndone(root, at('main'), tip)).toBe(false);
      expect(at('main^')).toBe(tip);
      expect(git('log', '-1', '--format=%an: %s%n%b', 'main')).toBe(
        `user: Undo: the work\nThis takes back ${commit}, which landed on ${before.slice(0, 10)}.`,
      );
      expect([read('kept.txt'), read('later.txt')]).toEqual([withLine(5, 'SIX'), 'later\n']);
      expect(git('diff', '--name-only', before, 'main').split('\n')).toEqual(['kept.txt', 'later.txt']);
      expect(status()).toBe('');
    }
  });

  it('is taken back once, and only where it is', async () => {
    const { undo, at, git, before } = await landed('merge');
    await undo({ before: null });
    const tip = at('main');
    await expect(undo()).rejects.toThrow('nothing of it is left on `main`');
    git('branch', 'aside', before);
    await expect(undo({ branch: 'aside' })).rejects.toThrow('`aside` does not contain');
    await expect(undo({ branch: 'none' })).rejects.toThrow('there is no branch `none`');
    expect(at('main')).toBe(tip);
  });

  it('stays where later work has changed the same, or the checkout has changes', async () => {
    const { undo, land, work, put, at, read } = await landed('merge');
    put('kept.txt', 'mine\n');
    await expect(undo()).rejects.toThrow('with uncommitted changes (`kept.txt`)');
    expect(read('kept.txt')).toBe('mine\n');
    put('kept.txt', withLine(0, 'ONE'));
    await land(work({ 'kept.txt': withLine(0, 'UNO') }));
    const tip = at('main');
    await expect(undo()).rejects.toThrow(
      'later work on `main` has changed kept.txt; by hand: `git revert -m 1',
    );
    expect(at('main')).toBe(tip);

    const rebased = await landed('rebase');
    await rebased.land(rebased.work({ 'kept.txt': withLine(0, 'UNO') }));
    const both = [rebased.before, rebased.commit].map((each) => each.slice(0, 10)).join(' ');
    const byHand = `git diff --binary ${both} | git apply --reverse --3way`;
    await expect(rebased.undo()).rejects.toThrow(`by hand: \`${byHand}\``);
    rebased.git('revert', '--no-edit', '-m', '1', rebased.at('main'));
    execFileSync('sh', ['-c', byHand], { cwd: rebased.root });
    expect(rebased.git('diff', '--cached', rebased.before)).toBe('');
  });

  it('is finished where the command was killed after the branch had moved', async () => {
    const { undo, root, git, at, before, commit, status } = await landed('merge');
    const undone = await undo();
    // What a kill leaves: the branch has moved, and neither the checkout nor the record has followed.
    for (const [part, name] of Object.entries({ commit, onto: commit, result: undone }))
      git('update-ref', `refs/mailroom/landing/undo/${commit}/${part}`, name);
    git('read-tree', '--reset', '-u', commit);
    expect(status()).not.toBe('');
    expect(await undo()).toBe(undone);
    expect([status(), at('main'), files(git, 'main')]).toEqual(['', undone, files(git, before)]);
    expect(git('for-each-ref', 'refs/mailroom/landing')).toBe('');
    await expect(undoLanding(root, { branch: 'main', commit, before, title: '' })).rejects.toThrow('is left');
  });
});
