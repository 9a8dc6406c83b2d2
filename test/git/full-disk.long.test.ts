import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { landWork, type Landed } from '../../src/git/land-work.ts';
import type { Worked } from '../../src/kernel/work.ts';
import { started } from './counted.ts';
import { commitOf, nothingApproved, project } from './roles-at-work.ts';

/*
 * A disk without room, and a repository that is read-only, fail any git process: before it has done
 * anything, or after all of it. What then lies there is the old state or the new one, or the same
 * call brings the new one as soon as there is room.
 */

interface Play<T> {
  readonly root: string;
  readonly work: () => Promise<T>;
  /** Looks at what the failure has left, and does the work again. */
  readonly after: (ended: T) => Promise<void>;
}

/** Lets each git process of some work fail once; returns how many it starts. */
async function eachFailure<T>(begin: (name: string) => Promise<Play<T>>): Promise<number> {
  for (let at = 1; ; at += 1)
    for (const when of ['before', 'after'] as const) {
      const { root, work, after } = await begin(`${when} ${String(at)}`);
      const ended: T[] = [];
      const all = await started(root, async () => ended.push(await work()), { at, when });
      for (const each of ended) await after(each);
      if (all.length < at) return all.length;
    }
}

describe('where a git process finds no room', () => {
  it('a landing is blocked, or done, and the same call finishes it', async () => {
    const { root, git, put, role } = project();
    const commit = await role('one').does({ 'kept.txt': 'work\n', 'new.txt': 'new\n' });
    put('other.txt', 'other\n');
    git('add', '-A');
    git('commit', '-qm', 'other');
    const other = git('rev-parse', 'main');
    const count = await eachFailure<Landed>(async (name) => {
      git('reset', '-q', '--hard', other);
      const about = { commit, branch: 'main', by: 'merge', author: 'one', text: 'Land\n' } as const;
      const work = () => landWork(root, `run/${name.replace(' ', '-')}`, about, nothingApproved);
      const after = async (ended: Landed) => {
        if (!ended.ok) expect(ended).toMatchObject({ code: 'E_WORKSPACE' });
        expect(await work()).toMatchObject({ ok: true });
        expect(git('log', '-1', '--format=%P', 'main')).toBe(`${other} ${commit}`);
        expect(git('status', '--porcelain')).toBe('');
        expect(readFileSync(join(root, 'kept.txt'), 'utf8')).toBe('work\n');
      };
      return { root, work, after };
    });
    expect(count).toBeGreaterThan(10);
  });

  it('a turn that leaves is not over, and leaves the same work later', async () => {
    const { root, git, role } = project();
    const one = role('one');
    const count = await eachFailure<Worked>(async (name) => {
      const entered = commitOf(await one.enter());
      one.put('new.txt', `${name}\n`);
      const after = async (ended: Worked) => {
        if (ended.ok) expect(git('show', `${ended.commit}:new.txt`)).toBe(name);
        const commit = commitOf(await one.leave(entered));
        expect(git('rev-parse', `${commit}^`)).toBe(entered);
        expect([git('show', `${commit}:new.txt`), one.git('status', '--porcelain')]).toEqual([name, '']);
      };
      return { root, work: () => one.leave(entered), after };
    });
    expect(count).toBe(7);
  });

  it('a turn that enters does not begin, and begins with the same merge later', async () => {
    const { root, git, role, main } = project();
    const two = role('two');
    const count = await eachFailure<Worked>(async (name) => {
      const own = commitOf(await two.enter());
      const theirs = git('commit-tree', '-p', main, '-m', name, `${main}^{tree}`);
      two.put('left.txt', `left ${name}\n`);
      const after = async () => {
        const merged = commitOf(await two.enter([theirs]));
        for (const each of [own, theirs]) git('merge-base', '--is-ancestor', each, merged);
        expect(git('show', `${merged}:left.txt`)).toBe(`left ${name}`);
        expect([git('rev-parse', two.ref), two.git('status', '--porcelain')]).toEqual([merged, '']);
      };
      return { root, work: () => two.enter([theirs]), after };
    });
    expect(count).toBeGreaterThan(10);
  });
});
