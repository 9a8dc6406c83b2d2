import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { enterWork, leaveWork } from '../../src/git/work.ts';
import { reportsOf, roleBranch } from '../../src/kernel/work.ts';
import { project, thread } from './roles-at-work.ts';

/** A role in its checkout, and turns that begin one after the other. */
async function atWork() {
  const made = project();
  const { root, put, git } = made;
  put('.gitignore', '*.log\ncontext/\nnode_modules/\n');
  git('commit', '-qam', 'rules');
  const one = made.role('one');
  const turn = { role: 'one', thread, branch: roleBranch(thread, 'one') };
  const begun = async (name: string) => {
    const began = join(root, '.mailroom/turns', name);
    const taking = { takes: [], base: null, last: null, resolves: 'none', resolving: null } as const;
    const entered = await enterWork(root, one.path, { ...turn, turn: name, edits: true, ...taking });
    if (!entered.ok) throw new Error(entered.problem);
    mkdirSync(began, { recursive: true });
    const leaving = { title: 'Work', messages: [], takes: [], meets: [], amends: null };
    return () =>
      leaveWork(root, one.path, { ...turn, ...leaving, turn: name, entered: entered.commit }, began);
  };
  return { ...made, one, begun };
}

it('names what a turn made and git ignores, a folder as one, and nothing that was there before', async () => {
  const { one, begun, git } = await atWork();
  const first = await begun('t1');
  one.put('src/context/x.js', 'x\n');
  one.put('src/kept.js', 'x\n');
  one.put('node_modules/a/index.js', 'x\n');
  one.put('node_modules/b/index.js', 'x\n');
  one.put('deep/er/a.log', 'x\n');
  const left = await first();
  expect(left).toMatchObject({ ok: true, ignored: ['deep/er/a.log', 'node_modules/', 'src/context/x.js'] });
  expect(reportsOf(left.ok ? left : {})).toEqual([
    'ignored, stays in the worktree: deep/er/a.log, node_modules/, src/context/x.js',
  ]);
  expect(git('ls-tree', '-r', '--name-only', left.ok ? left.commit : '')).not.toContain('context');
  expect(existsSync(join(one.path, 'src/context/x.js'))).toBe(true);
  const second = await begun('t2');
  one.put('node_modules/b/index.js', 'y\n');
  one.put('src/kept.js', 'y\n');
  expect(await second()).not.toHaveProperty('ignored');
});

it('names what is ignored where there is nothing to commit, but not what was given', async () => {
  const { one, begun } = await atWork();
  const leave = await begun('t1');
  one.put('only.log', 'x\n');
  one.put('agents/one/inbox/a.log', 'x\n');
  expect(await leave()).toMatchObject({ ok: true, ignored: ['only.log'] });
});

it('names ten at most, in one line each', () => {
  const ignored = Array.from({ length: 12 }, (_, index) => `${String(index)}\n.log`);
  const [report = ''] = reportsOf({ ignored });
  expect(report).toContain(String.raw`9\n.log and 2 more`);
  expect(report).not.toContain('\n');
  expect(reportsOf({})).toEqual([]);
});
