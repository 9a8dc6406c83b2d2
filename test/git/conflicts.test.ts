import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkToCheck } from '../../src/git/checked-work.ts';
import { roleBranch } from '../../src/kernel/work.ts';
import { commitOf, problemOf, project, taken, thread } from './roles-at-work.ts';

describe('a conflict', () => {
  /** Two roles that changed the same file. */
  async function crossed(mine: string | null = 'mine\n', yours = 'yours\n') {
    const made = project();
    const [one, two] = [made.role('one'), made.role('two')];
    const entered = commitOf(await one.enter());
    if (mine === null) rmSync(join(one.path, 'kept.txt'));
    else one.put('kept.txt', mine);
    const theirs = commitOf(await one.leave(entered));
    const own = await two.does({ 'kept.txt': yours });
    const merge = ` (the merge of ${theirs.slice(0, 10)} into ${own.slice(0, 10)} is not resolved)`;
    return { ...made, one, two, theirs, own, merge };
  }

  it('lies in the checkout with both sides, and nothing leaves before it is resolved', async () => {
    const { git, two, theirs, own, merge } = await crossed();
    expect(await two.enter([theirs])).toEqual({
      ok: false,
      resolving: 'role',
      problem: `the work of other (commit ${theirs.slice(0, 10)}, message …m1) conflicts with that of two (commit ${own.slice(0, 10)}) in kept.txt`,
    });
    expect(two.read('kept.txt')).toMatch(/^<{7} \S+\nyours\n={7}\nmine\n>{7} \S+\n$/);
    expect(two.git('status', '--porcelain')).toBe('UU kept.txt');
    expect(await two.enter([theirs], { resolving: 'role' })).toEqual({ ok: true, commit: own });
    const takes = taken([theirs]);
    const refused = `\`kept.txt\` has conflict markers: keep what both sides meant, and remove them${merge}`;
    expect(problemOf(await two.leave(own, { takes }))).toBe(refused);
    two.git('add', '-A');
    expect(problemOf(await two.leave(own, { takes }))).toBe(refused);
    two.put('kept.txt', 'both\n');
    const merged = commitOf(await two.leave(own, { takes }));
    expect(git('log', '-1', '--format=%P|%s', merged)).toBe(`${own} ${theirs}|Work`);
    expect([git('show', `${merged}:kept.txt`), two.git('status', '--porcelain')]).toEqual(['both', '']);
  });

  it('of a deleted file is resolved by staging what lies there, and is a merge even so', async () => {
    const { git, two, theirs, own, merge } = await crossed(null);
    expect(await two.enter([theirs], { resolves: 'all' })).toMatchObject({ resolving: 'role' });
    const takes = taken([theirs]);
    expect(problemOf(await two.leave(own, { takes }))).toBe(
      `\`kept.txt\` is as the merge left it: change it, or stage it with \`git add\` if it is right${merge}`,
    );
    two.git('add', 'kept.txt');
    const merged = commitOf(await two.leave(own, { takes }));
    expect(git('log', '-1', '--format=%P', merged)).toBe(`${own} ${theirs}`);
    expect(two.read('kept.txt')).toBe('yours\n');
  });

  it('of a binary file is resolved by other content', async () => {
    const { git, two, theirs, own } = await crossed('a\0mine', 'a\0yours');
    expect(await two.enter([theirs], { resolves: 'all' })).toMatchObject({ resolving: 'role' });
    expect(two.read('kept.txt')).toBe('a\0yours');
    expect(problemOf(await two.leave(own, { takes: taken([theirs]) }))).toContain('is as the merge left it');
    two.put('kept.txt', 'a\0both');
    const merged = commitOf(await two.leave(own, { takes: taken([theirs]) }));
    expect(git('show', `${merged}:kept.txt`)).toBe('a\0both');
  });

  it('of a file that both renamed is resolved by staging one name', async () => {
    const { git, role } = project();
    const [one, two] = [role('one'), role('two')];
    const renamed = async (by: typeof one, name: string) => {
      const entered = commitOf(await by.enter());
      by.git('mv', 'kept.txt', name);
      return commitOf(await by.leave(entered));
    };
    const [theirs, own] = [await renamed(one, 'mine.txt'), await renamed(two, 'yours.txt')];
    expect(await two.enter([theirs], { resolves: 'all' })).toMatchObject({ resolving: 'role' });
    const problem = problemOf(await two.leave(own, { takes: taken([theirs]) }));
    for (const name of ['kept.txt', 'mine.txt', 'yours.txt']) expect(problem).toContain(`\`${name}\` is as`);
    two.git('rm', '-qf', 'mine.txt', 'kept.txt');
    two.git('add', 'yours.txt');
    const merged = commitOf(await two.leave(own, { takes: taken([theirs]) }));
    expect(git('ls-tree', '--name-only', merged)).toBe('.gitignore\nyours.txt');
  });

  it.each([
    ['a text, for a role that edits', 'mine\n', 'text', 'role'],
    ['a binary file, for a role that runs no commands', 'a\0mine', 'text', 'person'],
    ['anything, for a role that must not', 'mine\n', 'none', 'person'],
  ] as const)('in %s', async (_, mine, resolves, resolving) => {
    const { two, theirs } = await crossed(mine, mine.replace('mine', 'yours'));
    expect(await two.enter([theirs], { resolves })).toMatchObject({ ok: false, resolving });
  });

  it('that a person resolves becomes a merge of the person, once it is resolved', async () => {
    const { git, two, theirs, own } = await crossed();
    await two.enter([theirs], { resolves: 'none' });
    const again = () => two.enter([theirs], { resolves: 'none', resolving: 'person' });
    expect(await again()).toMatchObject({ ok: false, resolving: 'person' });
    expect(problemOf(await again())).toContain('`kept.txt` has conflict markers');
    two.put('kept.txt', 'both\n');
    const merged = commitOf(await again());
    expect(git('log', '-1', '--format=%P|%an|%s', merged)).toBe(`${own} ${theirs}|user|Resolve a conflict`);
    expect(await again()).toEqual({ ok: true, commit: merged });
  });

  it('in the checkout of a role that only reads is resolved by a person, once', async () => {
    const { git, role, theirs, own } = await crossed();
    const reader = role('reader', false);
    const enter = (resolving: 'person' | null) =>
      reader.enter([own, theirs], { resolves: 'none', resolving });
    expect(await enter(null)).toMatchObject({ ok: false, resolving: 'person' });
    reader.put('kept.txt', 'both\n');
    const merged = commitOf(await enter('person'));
    expect(git('log', '-1', '--format=%P', merged)).toBe(`${own} ${theirs}`);
    expect(await enter('person')).toEqual({ ok: true, commit: merged });
    expect(reader.read('kept.txt')).toBe('both\n');
  });

  it('that no turn resolved is replaced by the branch, and what was done is kept', async () => {
    const { git, two, theirs, own } = await crossed();
    await two.enter([theirs]);
    two.put('kept.txt', 'half\n');
    expect(await two.enter([])).toEqual({ ok: true, commit: own });
    expect([two.read('kept.txt'), two.git('status', '--porcelain')]).toEqual(['yours\n', '']);
    const [kept = ''] = git('for-each-ref', '--format=%(refname)', 'refs/mailroom/kept').split('\n');
    expect(git('show', `${kept}:kept.txt`)).toBe('half');
    expect(git('for-each-ref', 'refs/mailroom/conflict')).toBe('');
  });

  it('is laid out again in a checkout that was removed', async () => {
    const { two, theirs } = await crossed();
    await two.enter([theirs]);
    rmSync(two.path, { recursive: true });
    expect(await two.enter([theirs], { resolving: 'role' })).toMatchObject({ ok: false, resolving: 'role' });
    expect(two.read('kept.txt')).toContain('<<<<<<<');
  });

  it('of further work is laid out after the first was resolved', async () => {
    const { git, role, two, theirs, own } = await crossed();
    const more = await role('three').does({ 'kept.txt': 'more\n' });
    const takes = taken([theirs, more]);
    await two.enter([theirs, more]);
    two.put('kept.txt', 'both\n');
    expect(await two.leave(own, { takes })).toMatchObject({ ok: false, resolving: 'role' });
    two.put('kept.txt', 'all\n');
    const merged = commitOf(await two.leave(own, { takes }));
    for (const each of [own, theirs, more]) git('merge-base', '--is-ancestor', each, merged);
    expect(git('show', `${merged}:kept.txt`)).toBe('all');
  });

  it('with work that it meets is resolved by its author, before it leaves', async () => {
    const { git, two, theirs, own } = await crossed();
    const meets = taken([theirs]);
    const met = await two.leave(own, { meets });
    expect(met).toMatchObject({ resolving: 'role' });
    expect(problemOf(met)).toMatch(
      / conflicts with that of two \(commit \w+\) in kept\.txt:\nboth sides are in your checkout\. /,
    );
    two.put('kept.txt', 'both\n');
    const merged = commitOf(await two.leave(own, { meets }));
    expect(git('log', '-1', '--format=%P', merged)).toBe(`${own} ${theirs}`);
    expect(await two.leave(own, { meets, amends: merged })).toEqual({ ok: true, commit: merged });
  });

  it('with work that it meets is none where the merge is clean, and nothing is merged', async () => {
    const { role } = project();
    const [one, two] = [role('one'), role('two')];
    const theirs = await one.does({ 'a.txt': 'a\n' });
    const own = await two.does({ 'b.txt': 'b\n' });
    expect(await two.leave(own, { meets: taken([theirs]) })).toEqual({ ok: true, commit: own });
  });
});

describe('the work that checks run on', () => {
  /** The files that a check finds. */
  function listing(path: string): string[] {
    return readdirSync(path).filter((name) => name.endsWith('.txt') || name.endsWith('.log'));
  }

  it('is exactly the commit, or its merge with all others; then the branch is there again', async () => {
    const { git, root, role } = project();
    const [one, two] = [role('one'), role('two')];
    const theirs = await one.does({ 'a.txt': 'a\n' });
    const own = await two.does({ 'b.txt': 'b\n', 'cache.log': 'cached' });
    const about = { turn: 't1', role: 'two', thread, branch: roleBranch(thread, 'two'), entered: own };
    const work = new WorkToCheck(root, two.path, { ...about, others: taken([theirs]) }, own);
    expect(await work.layOut('own')).toBeNull();
    two.put('b.txt', 'changed by a check\n');
    expect(await work.layOut('own')).toBeNull();
    expect(two.read('b.txt')).toBe('b\n');
    expect(await work.layOut('merged')).toBeNull();
    expect(listing(two.path)).toEqual(['a.txt', 'b.txt', 'cache.log', 'kept.txt']);
    expect(git('rev-parse', two.ref)).toBe(own);
    await work.checkout.restore();
    expect(listing(two.path)).toEqual(['b.txt', 'cache.log', 'kept.txt']);
    expect(two.git('status', '--porcelain')).toBe('');
  });

  it('is never committed by a host that was killed meanwhile', async () => {
    const { root, role } = project();
    const [one, two] = [role('one'), role('two')];
    const theirs = await one.does({ 'a.txt': 'a\n' });
    const own = await two.does({ 'b.txt': 'b\n' });
    const about = { turn: 't1', role: 'two', thread, branch: roleBranch(thread, 'two'), entered: own };
    await new WorkToCheck(root, two.path, { ...about, others: taken([theirs]) }, own).layOut('merged');
    expect(await two.leave(own, { amends: own })).toEqual({ ok: true, commit: own });
    expect(listing(two.path)).toEqual(['b.txt', 'kept.txt']);
  });

  it('names a conflict between the branches', async () => {
    const { root, role } = project();
    const [theirs, own] = [
      await role('one').does({ 'kept.txt': 'a\n' }),
      await role('two').does({ 'kept.txt': 'b\n' }),
    ];
    const reader = role('reader', false);
    const entered = commitOf(await reader.enter([own]));
    const about = { turn: 't1', role: 'reader', thread, branch: roleBranch(thread, 'reader'), entered };
    const work = new WorkToCheck(root, reader.path, { ...about, others: taken([theirs]) }, null);
    expect(await work.layOut('merged')).toBe(
      `the merge of all work in the thread has a conflict: that of other (commit ${theirs.slice(0, 10)}, message …m1) and ${own.slice(0, 10)} in kept.txt`,
    );
  });
});
