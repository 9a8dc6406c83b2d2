import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgeChanges } from '../../src/git/judged-changes.ts';
import { landWork } from '../../src/git/land-work.ts';
import { ensureWorktree, type TreeChange } from '../../src/git/workspace-tree.ts';
import { Worktrees } from '../../src/git/worktrees.ts';
import { landingWays, type Worked } from '../../src/kernel/work.ts';
import { stepGit } from '../../src/workflow/host/step-git.ts';
import type { StepPath } from '../../src/workflow/machine/event.ts';
import type { Launch, LaunchCheckout } from '../../src/workflow/machine/launch.ts';
import { commitOf, gitIn, project, projectAt, thread } from './roles-at-work.ts';

/** Every kind of place, on every way out of a checkout. docs/security.md has the table. */
const state = [
  '.mailroom/control/x.json',
  '.mailroom/key',
  '.Mailroom/runs/r/control/y.json',
  'deep/.mailroom/confirmed',
  ...['inbox', 'outbox', 'processed', 'sent', 'failed'].map((box) => `agents/b/${box}/x.md`),
  'agents/user/outbox/x.md',
];
const rules = [
  '.claude/settings.json',
  '.env',
  '.gitattributes',
  '.gitmodules',
  '.lfsconfig',
  '.mcp.json',
  '.skillmeat-workflow-overrides.yaml',
  'agents.yaml',
  'agents/b/role.md',
  'deep/.codex/config.toml',
  'mailroom.yaml',
  'protocols/team.yaml',
  'tools/run.sh',
  'workflows/w.yaml',
];
const named = () => Promise.resolve(['tools/run.sh']);
const files = [...state, ...rules, 'work.txt'];
/** Git ends what belongs to no submodule. */
const text = (path: string) => (path === '.gitmodules' ? '' : 'from an agent\n');

function emptied() {
  const made = project();
  // Ignore rules do not decide.
  made.put('.git/info/exclude', '/.mailroom/worktrees\n');
  return made;
}

type Repository = ReturnType<typeof emptied>;
type Role = ReturnType<Repository['role']>;

async function inTurn(one: Role, more: Parameters<Role['enter']>[1] = {}): Promise<Worked> {
  const entered = commitOf(await one.enter([], more));
  for (const path of files) one.put(path, text(path));
  return one.leave(entered);
}

/** Ends a step that edits in a worktree of its own. */
async function inStep({ root }: Repository): Promise<Worked> {
  const git = stepGit(root, [], named);
  const key = { path: 'build' as StepPath, iteration: 1, attempt: 1, check: 0 };
  const launch = { run: thread, key, work: { kind: 'agent' }, inputs: [] } as unknown as Launch;
  const checkout: LaunchCheckout = {
    name: 'build',
    edits: true,
    takes: [],
    last: null,
    merges: false,
    conflict: null,
  };
  const entered = commitOf(await git.enter(launch, checkout, false));
  const { put } = projectAt(join(root, git.commitOf(launch, checkout, entered).worktree ?? ''));
  for (const path of files) put(path, text(path));
  return git.leave(launch, checkout, entered);
}

const leaving: Readonly<Record<string, (repository: Repository) => Promise<Worked>>> = {
  message: ({ role }) => inTurn(role('one')),
  'sub-thread': ({ role, main }) => inTurn(role('one'), { base: main }),
  step: inStep,
  worker: async ({ root }) => {
    const clone = `${root}-worker`;
    gitIn(root, 'clone', '-q', root, clone);
    gitIn(clone, 'config', 'core.excludesFile', '/dev/null');
    const left = await inTurn(projectAt(clone).role('one'));
    gitIn(root, 'fetch', '-q', clone, commitOf(left));
    return left;
  },
};

describe('the commit of a', () => {
  it.each(Object.entries(leaving))('%s leaves state out, and has rules and work', async (_, leave) => {
    const repository = emptied();
    const left = await leave(repository);
    const { git, main } = repository;
    expect(git('diff', '--name-only', main, commitOf(left)).split('\n').toSorted()).toEqual(
      [...rules, 'work.txt'].toSorted(),
    );
    const { leftOut = '' } = left.ok ? left : {};
    for (const path of state) expect(leftOut).toContain(`\`${path}\``);
  });
});

/** A commit with files that no way out has seen. */
function commitWith({ git, root, main }: Repository, paths: readonly string[]): string {
  const aside = `${root}-aside`;
  gitIn(root, 'worktree', 'add', '-q', '--detach', aside, main);
  const { put } = projectAt(aside);
  for (const path of paths) put(path, text(path));
  gitIn(aside, 'add', '-f', '-A');
  gitIn(aside, 'commit', '-qm', 'by an agent');
  const commit = gitIn(aside, 'rev-parse', 'HEAD');
  git('worktree', 'remove', '--force', aside);
  return commit;
}

describe('a landing by', () => {
  it.each(landingWays)('%s refuses all state, and wants each rule approved', async (by) => {
    const repository = emptied();
    const { root, git, put, main } = repository;
    const land = (commit: string, approved: string | null) => {
      const about = { commit, branch: 'main', by, author: 'one', text: 'L\n' };
      return landWork(root, `run/${by}`, about, { named, approved });
    };
    for (const path of state)
      expect(await land(commitWith(repository, [path, 'work.txt']), null)).toMatchObject({
        code: 'E_CONFLICT',
        problem: expect.stringContaining(`\`${path}\``) as string,
      });
    const changed = commitWith(repository, [...rules, 'work.txt']);
    expect(git('rev-parse', 'main')).toBe(main);
    put('other.txt', 'meanwhile\n');
    git('add', 'other.txt');
    git('commit', '-qm', 'meanwhile');
    const asked = await land(changed, null);
    expect(asked).toMatchObject({ code: 'E_REFUSED', rules: { paths: rules.toSorted(), more: 0 } });
    expect(await land(changed, 'another')).toEqual(asked);
    expect(git('log', '-1', '--format=%s', 'main')).toBe('meanwhile');
    const digest = !asked.ok && asked.code === 'E_REFUSED' ? asked.rules.digest : '';
    expect(await land(changed, digest)).toMatchObject({ ok: true });
    expect(git('show', 'main:mailroom.yaml')).toBe('from an agent');
  });
});

describe('`worktree merge`', () => {
  async function written(paths: readonly string[]) {
    const { root, git, main } = emptied();
    const checkout = join(root, '.mailroom/worktrees', thread);
    expect(await ensureWorktree(root, checkout, thread)).toBeNull();
    const { put } = projectAt(checkout);
    for (const path of paths) put(path, text(path));
    gitIn(checkout, 'add', '-f', '-A');
    const merge = (approved: boolean) =>
      new Worktrees(root, named).merge({ thread, role: null }, 'subject', { rules: approved });
    return { merge, git, main };
  }

  it.each(state)('refuses %s', async (path) => {
    const { merge, git, main } = await written([path, 'work.txt']);
    const refusal = { code: 'E_REFUSED', message: expect.stringContaining(`changes \`${path}\``) as string };
    for (const approved of [false, true]) await expect(merge(approved)).rejects.toMatchObject(refusal);
    expect(git('rev-parse', 'main')).toBe(main);
  });

  it('wants `--rules` for each rule', async () => {
    const { merge, git, main } = await written(rules);
    const names = rules.toSorted().map((path) => `\`${path}\``);
    await expect(merge(false)).rejects.toMatchObject({
      message: expect.stringContaining(names.slice(0, -1).join(', ')) as string,
      hint: expect.stringContaining('--rules') as string,
    });
    expect(git('rev-parse', 'main')).toBe(main);
    await merge(true);
    expect(git('show', 'main:mailroom.yaml')).toBe('from an agent');
  });
});

it('rules that a person approves are another approval with each path, mode and content', () => {
  const places = { project: '', named: [], isProject: () => false };
  const was = { how: 'M', wasMode: '100644', was: 'b' };
  const rule = { ...was, mode: '100644', object: 'a', path: 'mailroom.yaml' };
  const digestOf = (change: TreeChange) => judgeChanges([change], places).rules?.digest;
  const others = [{ path: 'agents.yaml' }, { mode: '100755' }, { object: 'c' }];
  const digests = [rule, ...others.map((other) => ({ ...rule, ...other }))].map(digestOf);
  expect(new Set(digests).size).toBe(4);
  expect(digestOf({ ...rule })).toBe(digests[0]);
});
