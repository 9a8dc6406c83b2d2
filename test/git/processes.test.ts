import { afterEach, describe, expect, it, vi } from 'vitest';
import { Landings } from '../../src/git/landing.ts';
import { swapLanding } from '../../src/git/landing-swap.ts';
import { started } from './counted.ts';
import { commitOf, project } from './roles-at-work.ts';

/*
 * A process costs more than most of what git does in it, so the work of a turn starts few of them.
 */
describe('the git processes of a turn', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are five where its checkout is made', async () => {
    const { root, role } = project();
    expect(await started(root, () => role('one').enter())).toHaveLength(5);
  });

  it('write the files once where a role begins with the merge of others', async () => {
    const { root, role } = project();
    const takes = [await role('one').does({ 'a.txt': 'a\n' }), await role('two').does({ 'b.txt': 'b\n' })];
    const three = role('three');
    const all = await started(root, async () => commitOf(await three.enter(takes)));
    expect(all.filter((command) => command === 'read-tree')).toHaveLength(1);
    expect([three.read('a.txt'), three.read('b.txt')]).toEqual(['a\n', 'b\n']);
  });

  it('are ten where it enters with a merge, and one reads the settings', async () => {
    const { root, role } = project();
    const [one, two] = [role('one'), role('two')];
    const theirs = await one.does({ 'a.txt': 'a\n' });
    const last = await two.does({ 'b.txt': 'b\n' });
    const all = await started(root, async () => commitOf(await two.enter([theirs], { last })));
    expect(all).toHaveLength(10);
    expect(all.filter((command) => command === 'config')).toHaveLength(1);
  });

  it('are seven where it leaves changes', async () => {
    const { root, role } = project();
    const one = role('one');
    const entered = commitOf(await one.enter());
    one.put('a.txt', 'a\n');
    const all = await started(root, async () => commitOf(await one.leave(entered)));
    expect(all).toHaveLength(7);
  });

  it('are six where its work lands by a merge, and five for the next in the queue', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const { root, git, role, main } = project();
    const commits = [await role('one').does({ 'a.txt': 'a\n' }), await role('two').does({ 'b.txt': 'b\n' })];
    git('branch', 'target', git('commit-tree', '-p', main, '-m', 'other', `${main}^{tree}`));
    const landings = new Landings(root, () => Promise.resolve([]));
    const counts = [];
    for (const commit of commits) {
      const about = { commit, branch: 'target', by: 'merge', author: 'one', text: 'Land\n' } as const;
      const all = await started(root, async () => {
        const prepared = await landings.prepare(about);
        if (prepared.is !== 'ready') throw new Error(prepared.problem);
        expect(await swapLanding(root, { branch: 'target', ...prepared })).toEqual({ is: 'landed' });
      });
      counts.push(all.length);
      expect(git('log', '-1', '--format=%P', 'target').split(' ')).toContain(commit);
    }
    expect(counts).toEqual([6, 5]);
  });
});
