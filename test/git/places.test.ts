import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { landWork } from '../../src/git/land-work.ts';
import { temporaryFolder } from '../process/support.ts';
import { commitOf, gitIn, nothingApproved, problemOf, project, projectAt } from './roles-at-work.ts';

/** Names as no careful person gives them; the last is no UTF-8. */
const names = [
  'a b',
  'line\nbreak',
  `"quotes" 'both'`,
  '-dash',
  'tab\tand\\back',
  '*?[x]',
  ':(top)x',
  'é',
].map((name) => Buffer.from(`${name}.txt`));
const odd = [...names, Buffer.from([0x66, 0xff, 0xfe, 0x2e, 0x74, 0x78, 0x74])];

const inside = (path: string, name: Buffer) => Buffer.concat([Buffer.from(`${path}/`), name]);

const about = { branch: 'main', by: 'merge', author: 'one', text: 'Land\n' } as const;

describe('files with odd names', () => {
  it('travel, are merged and land byte for byte', async () => {
    const { root, role, git } = project();
    const [one, two, three] = [role('one'), role('two'), role('three')];
    const entered = commitOf(await one.enter());
    for (const name of odd) writeFileSync(inside(one.path, name), 'odd\n');
    const commit = commitOf(await one.leave(entered));
    const other = await two.does({ 'other.txt': 'other\n' });
    const merged = commitOf(await three.enter([commit, other]));
    const there = readdirSync(three.path, { encoding: 'buffer' });
    expect(odd.filter((name) => !there.some((each) => each.equals(name)))).toEqual([]);
    expect(await landWork(root, 'run/land', { ...about, commit: merged }, nothingApproved)).toMatchObject({
      ok: true,
    });
    expect(odd.map((name) => readFileSync(inside(root, name), 'utf8'))).toEqual(odd.map(() => 'odd\n'));
    expect(git('status', '--porcelain')).toBe('');
  });

  it('conflict, and are resolved', async () => {
    const { role } = project();
    const [one, two, three] = [role('one'), role('two'), role('three')];
    const commits: string[] = [];
    for (const each of [one, two]) {
      const entered = commitOf(await each.enter());
      for (const name of odd) writeFileSync(inside(each.path, name), `${each.ref}\n`);
      commits.push(commitOf(await each.leave(entered)));
    }
    expect(problemOf(await three.enter(commits))).toContain('conflicts with that of');
    const listed = execFileSync('git', ['ls-files', '--unmerged', '-z'], { cwd: three.path }).toString(
      'latin1',
    );
    const unmerged = odd.map((name) => listed.split(`\t${name.toString('latin1')}\0`).length - 1);
    expect(unmerged).toEqual(odd.map(() => 2));
    const marked = odd.map((name) => readFileSync(inside(three.path, name), 'utf8').startsWith('<<<<<<< '));
    expect(marked).toEqual(odd.map(() => true));
    // All but the last are resolved.
    for (const name of names) writeFileSync(inside(three.path, name), 'both\n');
    expect(problemOf(await three.leave(commits[0] ?? ''))).toContain('has conflict markers');
    for (const name of odd) writeFileSync(inside(three.path, name), 'both\n');
    const merged = commitOf(await three.leave(commits[0] ?? ''));
    for (const commit of commits) three.git('merge-base', '--is-ancestor', commit, merged);
    expect(three.git('status', '--porcelain')).toBe('');
    expect(three.git('ls-tree', '-z', '--name-only', merged).split('\0').filter(Boolean)).toHaveLength(
      2 + odd.length,
    );
  });
});

describe('a project that is itself a linked worktree', () => {
  it('has checkouts of its roles, whose work lands on its branch', async () => {
    const around = project();
    const root = join(temporaryFolder(), 'linked');
    around.git('worktree', 'add', '-q', '-b', 'feature', root);
    const { role, git } = projectAt(root);
    const commit = await role('one').does({ 'new.txt': 'new\n' });
    const two = role('two');
    expect(commitOf(await two.enter([commit]))).toBe(commit);
    expect(
      await landWork(root, 'run/land', { ...about, branch: 'feature', commit }, nothingApproved),
    ).toMatchObject({
      ok: true,
    });
    expect(readFileSync(join(root, 'new.txt'), 'utf8')).toBe('new\n');
    expect([git('rev-parse', 'feature'), git('status', '--porcelain')]).toEqual([commit, '']);
    expect([around.git('rev-parse', 'main'), around.git('status', '--porcelain')]).toEqual([around.main, '']);
    expect(gitIn(two.path, 'rev-parse', '--git-common-dir')).toBe(join(around.root, '.git'));
  });
});
