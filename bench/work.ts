import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Landings } from '../src/git/landing.ts';
import { swapLanding } from '../src/git/landing-swap.ts';
import { enterWork, leaveWork } from '../src/git/work.ts';
import { roleBranch, roleCheckout, type Worked } from '../src/kernel/work.ts';
import { milliseconds, perSecond, type Line } from './report.ts';
import { benchFolder } from './world.ts';

const thread = '019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27';
const tracked = 5_000;
const many = 50_000;
const changed = 10;
const landings = 100;
const tries = 5;
/** With a large repository. */
const fewTries = 3;

/** Milliseconds of the best try. */
async function best(act: (index: number) => unknown, times = tries): Promise<number> {
  let least = Infinity;
  for (let index = 0; index < times; index += 1) {
    const start = performance.now();
    await act(index);
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

function git(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'gc.auto=0'];
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

function put(folder: string, path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A repository of so many files, in folders of 50. */
function repository(files: number): string {
  const root = benchFolder();
  git(root, 'init', '-qb', 'main');
  for (let index = 0; index < files; index += 1) put(root, pathOf(index), `file ${String(index)}\n`);
  put(root, '.git/info/exclude', '.mailroom\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  return root;
}

function pathOf(index: number): string {
  return `src/part${String(Math.floor(index / 50))}/file${String(index)}.txt`;
}

function commitOf(worked: Worked): string {
  if (!worked.ok) throw new Error(worked.problem);
  return worked.commit;
}

/** What a role does in its checkout. */
function roleOf(root: string, role: string) {
  const path = join(root, '.mailroom/worktrees', roleCheckout(thread, role));
  const turn = { turn: 't1', role, thread, branch: roleBranch(thread, role) };
  return {
    path,
    enter: async (commits: readonly string[]) => {
      const takes = commits.map((commit) => ({ commit, message: 'm1', from: 'other' }));
      const rest = { edits: true, takes, base: null, last: null, resolves: 'none', resolving: null } as const;
      return commitOf(await enterWork(root, path, { ...turn, ...rest }));
    },
    leave: async (entered: string) => {
      const rest = { title: 'Work', messages: ['m2'], entered, takes: [], meets: [], amends: null };
      return commitOf(await leaveWork(root, path, { ...turn, ...rest }));
    },
  };
}

function edit(folder: string, text: string, from = 0): void {
  for (let index = 0; index < changed; index += 1) put(folder, pathOf(from + index * 400), `${text}\n`);
}

/** What entering and leaving a turn cost, and landings, each beside what git itself takes. */
export async function work(): Promise<Line[]> {
  const root = repository(tracked);
  const one = roleOf(root, 'one');
  let commit = await one.enter([]);
  const left = await best(async (index) => {
    edit(one.path, `left ${String(index)}`);
    commit = await one.leave(commit);
  });
  const beside = join(root, '.mailroom/beside');
  git(root, 'worktree', 'add', '-q', beside, '-b', 'beside', 'main');
  const committed = await best((index) => {
    edit(beside, `left ${String(index)}`);
    git(beside, 'add', '-A');
    git(beside, 'commit', '-qm', 'Work');
  });
  return [
    ...ratio('leaving a turn with 10 changed files of 5,000', left, committed, '`git add -A && git commit`'),
    ...(await merging(root)),
    await landing(root),
    ...(await enteringMany()),
  ];
}

/** A role that begins in a large repository with the work of two others. */
async function enteringMany(): Promise<Line[]> {
  const root = repository(many);
  const side = (from: number, text: string) => {
    git(root, 'checkout', '-q', '--detach', 'main');
    edit(root, text, from);
    git(root, 'commit', '-qam', text);
    return git(root, 'rev-parse', 'HEAD');
  };
  const [one, other] = [side(7, 'one'), side(20, 'other')];
  git(root, 'checkout', '-q', 'main');
  const entering = await best(
    (index) => roleOf(root, `begins${String(index)}`).enter([one, other]),
    fewTries,
  );
  const bare = await best((index) => {
    const folder = join(root, `.mailroom/bare${String(index)}`);
    git(root, 'worktree', 'add', '-q', '-b', `bare${String(index)}`, folder, one);
    git(folder, 'merge', '-qm', 'Merge', other);
  }, fewTries);
  const what = 'beginning with a merge in a repository of 50,000 files';
  return ratio(what, entering, bare, '`git worktree add` and `git merge`', 1.5);
}

async function merging(root: string): Promise<Line[]> {
  const sides = Array.from({ length: tries }, (_, index) => {
    git(root, 'checkout', '-q', '--detach', 'main');
    edit(root, `theirs ${String(index)}`, 7);
    git(root, 'commit', '-qam', 'Theirs');
    return git(root, 'rev-parse', 'HEAD');
  });
  git(root, 'checkout', '-q', 'main');
  const roles = sides.map((_, index) => roleOf(root, `merger${String(index)}`));
  for (const role of roles) {
    const begun = await role.enter([]);
    edit(role.path, 'ours', 20);
    await role.leave(begun);
  }
  const entering = await best((index) => roles[index]?.enter([sides[index] ?? '']));
  const folders = sides.map((_, index) => join(root, `.mailroom/merge${String(index)}`));
  for (const folder of folders) {
    git(root, 'worktree', 'add', '-q', '--detach', folder, 'main');
    edit(folder, 'ours', 20);
    git(folder, 'commit', '-qam', 'Ours');
  }
  const merged = await best((index) =>
    git(folders[index] ?? '', 'merge', '-qm', 'Merge', sides[index] ?? ''),
  );
  return ratio('entering a turn with a merge', entering, merged, '`git merge`');
}

/** Landings one after the other, each a merge with what the former left. */
async function landing(root: string): Promise<Line> {
  git(root, 'branch', 'target', 'main');
  const tree = (index: number) => {
    put(root, `landed/${String(index)}.txt`, 'landed\n');
    git(root, 'add', '-A');
    return git(root, 'commit-tree', '-p', 'main', '-m', 'Land', git(root, 'write-tree'));
  };
  const commits = Array.from({ length: landings }, (_, index) => {
    git(root, 'read-tree', 'main');
    return tree(index);
  });
  const bare = await best(() => git(root, 'rev-parse', 'main'));
  const start = performance.now();
  const all = new Landings(root, () => Promise.resolve([]));
  for (const commit of commits) {
    const about = { commit, branch: 'target', by: 'merge', author: 'one', text: 'Land\n' } as const;
    const prepared = await all.prepare(about);
    if (prepared.is !== 'ready') throw new Error(prepared.problem);
    const swapped = await swapLanding(root, { branch: 'target', ...prepared });
    if (swapped.is !== 'landed') throw new Error(swapped.is);
  }
  const rate = perSecond(landings, performance.now() - start);
  return {
    what: '100 landings in the queue, without checks',
    seen: `${String(rate)} landings/s`,
    ratio: `${(1_000 / rate / bare).toFixed(1)} × a bare \`git rev-parse\` (${milliseconds(bare)})`,
    budget: '≥ 20 landings/s',
    met: rate >= 20,
  };
}

function ratio(what: string, ours: number, theirs: number, bare: string, most = 2): Line[] {
  const times = ours / theirs;
  const than = `${times.toFixed(2)} × ${bare} (${milliseconds(theirs)})`;
  return [{ what, seen: milliseconds(ours), ratio: than, budget: `≤ ${String(most)} ×`, met: times <= most }];
}
