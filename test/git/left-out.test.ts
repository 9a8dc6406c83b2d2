import { describe, expect, it } from 'vitest';
import { meetBranch } from '../../src/git/work.ts';
import { landWork } from '../../src/git/land-work.ts';
import { Landings } from '../../src/git/landing.ts';
import { roleBranch } from '../../src/kernel/work.ts';
import { commitOf, nothingApproved, problemOf, project, thread } from './roles-at-work.ts';

const mail = '---\ntype: task\n---\nevil\n';
/** Mailroom's own files and mail, which an agent writes into its checkout. */
const state: Readonly<Record<string, string>> = {
  '.mailroom/control/x.json': '{}',
  '.mailroom/confirmed': 'x',
  'deep/.mailroom/key': 'x',
  '.Mailroom/runs/r/control/y.json': '{}',
  'agents/b/inbox/f.md': mail,
  'agents/user/outbox/f.md': mail,
  'agents/b/processed/2026-01/f.md': mail,
};

/** A project whose ignore rules an agent has emptied. */
function emptied() {
  const made = project();
  made.put('agents/b/role.md', 'b\n');
  made.put('agents/b/sent/2026-01/tracked.md', 'tracked\n');
  made.git('add', '-A');
  made.git('commit', '-qm', 'roles');
  // Else git leaves the folder out by itself.
  made.put('.git/info/exclude', '/.mailroom/worktrees\n');
  return made;
}

describe("Mailroom's own files and mail", () => {
  const ways: Readonly<Record<string, (one: ReturnType<ReturnType<typeof project>['role']>) => void>> = {
    'that lie in a checkout': () => {},
    'that its agent has staged': (one) => one.git('add', '-f', '-A'),
    'that its agent has committed': (one) => {
      one.git('add', '-f', '-A');
      one.git('commit', '-qm', 'mine');
    },
  };
  it.each(Object.entries(ways))('%s are left out of its commit, named and kept', async (_, way) => {
    const { role, git } = emptied();
    const one = role('one');
    const entered = commitOf(await one.enter());
    for (const [path, text] of Object.entries(state)) one.put(path, text);
    one.put('work.txt', 'work\n');
    one.put('agents/b/sent/2026-01/tracked.md', 'changed\n');
    way(one);
    const left = await one.leave(entered);
    const commit = commitOf(left);
    expect(git('diff', '--name-only', entered, commit)).toBe('work.txt');
    const { leftOut = '' } = left.ok ? left : {};
    for (const path of Object.keys(state)) expect(leftOut).toContain(`\`${path}\``);
    const kept = /refs\/mailroom\/kept\/\S+/.exec(leftOut)?.[0] ?? '';
    expect(git('show', `${kept}:agents/b/inbox/f.md`)).toBe(mail.trim());
    expect(one.git('status', '--porcelain')).toBe('');
    const again = await one.leave(entered, { amends: commit });
    expect(again).toEqual({ ok: true, commit });
  });

  it('of a failed turn are left out of what is kept of it', async () => {
    const { role, git } = emptied();
    const one = role('one');
    const entered = commitOf(await one.enter());
    one.put('agents/b/inbox/f.md', mail);
    one.put('half.txt', 'half\n');
    one.git('add', '-f', '-A');
    one.git('commit', '-qm', 'mine');
    const next = commitOf(await one.enter());
    expect(git('diff', '--name-only', entered, next)).toBe('half.txt');
  });
});

describe('changes of rules', () => {
  const named = () => Promise.resolve([]);

  it('count as others once anything in them differs', async () => {
    const { root, role } = emptied();
    const prepare = async (commit: string) => {
      const about = { commit, branch: 'main', by: 'merge', author: 'one', text: 'L\n' } as const;
      const prepared = await new Landings(root, named).prepare(about);
      return prepared.is === 'ready' ? prepared.rules?.digest : null;
    };
    const one = await prepare(await role('one').does({ 'mailroom.yaml': 'one\n' }));
    const same = await prepare(await role('two').does({ 'mailroom.yaml': 'one\n', 'a.txt': 'a\n' }));
    const other = await prepare(await role('three').does({ 'mailroom.yaml': 'other\n' }));
    const none = await prepare(await role('four').does({ 'a.txt': 'b\n' }));
    expect([one === same, one === other, none]).toEqual([true, false, undefined]);
  });

  it('are seen where an agent makes git read other objects', async () => {
    const { root, role, git } = emptied();
    const commit = await role('one').does({ 'mailroom.yaml': 'evil\n' });
    // A commit without the change, in the place of the one with it.
    git('replace', '-f', commit, git('commit-tree', '-p', 'main', '-m', 'x', 'main^{tree}'));
    const about = { commit, branch: 'main', by: 'merge', author: 'one', text: 'L\n' } as const;
    expect(await landWork(root, 'run/land', about, nothingApproved)).toMatchObject({ code: 'E_REFUSED' });
  });
});

describe('work that conflicts with the branch where it lands', () => {
  it('finds both sides in the checkout of its role, and lands once they are resolved', async () => {
    const { root, role, git, put } = emptied();
    const one = role('one');
    const commit = await one.does({ 'kept.txt': 'ours\n' });
    put('kept.txt', 'theirs\n');
    git('commit', '-qam', 'theirs');
    const onto = git('rev-parse', 'main');
    const turn = { turn: 't1', role: 'one', thread, branch: roleBranch(thread, 'one') };
    const met = await meetBranch(root, one.path, turn, { commit, branch: 'main', onto });
    expect(met).toMatchObject({ ok: false, resolving: 'role' });
    expect(problemOf(met)).toContain('kept.txt:\nboth sides are in your checkout');
    expect(one.read('kept.txt')).toContain('<<<<<<<');
    expect(problemOf(await one.leave(commit))).toContain('`kept.txt` has conflict markers');
    one.put('kept.txt', 'both\n');
    const resolved = commitOf(await one.leave(commit));
    const about = { commit: resolved, branch: 'main', by: 'merge', author: 'one', text: 'L\n' } as const;
    expect(await landWork(root, 'run/land', about, nothingApproved)).toMatchObject({ ok: true });
    expect(git('rev-parse', 'main^2')).toBe(resolved);
    expect(git('show', 'main:kept.txt')).toBe('both');
  });

  it('is left alone where its checkout has gone on', async () => {
    const { root, role, git, put } = emptied();
    const one = role('one');
    const commit = await one.does({ 'kept.txt': 'ours\n' });
    await one.does({ 'kept.txt': 'later\n' });
    put('kept.txt', 'theirs\n');
    git('commit', '-qam', 'theirs');
    const turn = { turn: 't1', role: 'one', thread, branch: roleBranch(thread, 'one') };
    const met = await meetBranch(root, one.path, turn, {
      commit,
      branch: 'main',
      onto: git('rev-parse', 'main'),
    });
    expect(met).toMatchObject({ ok: false, resolving: null });
    expect(one.read('kept.txt')).toBe('later\n');
  });
});
