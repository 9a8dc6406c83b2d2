import { mkdirSync } from 'node:fs';
import { lookAt } from './git-look.ts';
import { git, whyGitFailed } from './git.ts';
import { patchBetween } from './run-differences.ts';
import { inTheWay, syncPaths } from './put-back.ts';
import type { RunResult } from '../process/run.ts';
import { treeChanges, workspaceTree, type TreeChange } from './workspace-tree.ts';
import type { RolledBack } from '../kernel/edits.ts';

/** Limit of the patch that keeps undone changes, in bytes. */
const keptBytes = 64 * 1024 * 1024;

interface Undoing {
  /** Absolute path. */
  readonly workspace: string;
  /** The state to restore: a tree of `workspaceTree`. */
  readonly tree: string;
  /** Whether a path, relative to the workspace, stays unchanged. */
  readonly ours: (path: string) => boolean;
  /** Replaced by `***` in the kept patch. */
  readonly secrets: readonly string[];
  /** Receives a patch of exactly the changes to undo, before any of them is undone. */
  readonly keep: (patch: Uint8Array) => void;
}

/**
 * Restores the files of a workspace to a tree: changed and removed files get their content again,
 * new ones are removed. Ignored files, commits and the index do not change. The result is durable
 * when the promise resolves. Never rejects; safe to repeat.
 */
export async function rollBack(undoing: Undoing): Promise<RolledBack> {
  try {
    return await undo(undoing);
  } catch (error) {
    return { files: 0, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function undo({ workspace, tree, ours, secrets, keep }: Undoing): Promise<RolledBack> {
  const now = await workspaceTree(workspace);
  if (now === null) return { files: 0, problem: `git cannot say what ${workspace} holds` };
  const asked = ['rev-parse', '--show-toplevel', '--show-prefix'];
  const where = answer(asked, await git(asked, { cwd: workspace }));
  const [top = '', prefix = ''] = where.split('\n');
  const found = await treeChanges(workspace, tree, now);
  if (found === null) return { files: 0, problem: `git cannot compare what ${workspace} holds` };
  const changes = found.filter(({ path }) => !ours(path.slice(prefix.length)));
  if (changes.length === 0) return { files: 0, problem: null };
  const undone = await treeWith(workspace, tree, changes);
  const patch = await patchBetween({ workspace, base: tree }, undone, secrets, keptBytes);
  if (patch === null) return { files: 0, problem: 'git cannot show what would be undone' };
  keep(patch);
  const [added, others] = [changes.filter(isNew), changes.filter((change) => !isNew(change))];
  // The patch contains only a submodule's commit, none of its files.
  const repositories = added.filter(({ mode }) => mode === submodule);
  const removed = added.filter((change) => !repositories.includes(change));
  await withPaths(top, now, remove, removed);
  const blocked = new Map(others.flatMap((change) => obstacleOf(top, change)));
  const free = others.filter(({ path }) => !blocked.has(path));
  await withPaths(top, tree, restore, free);
  mkdirSync(workspace, { recursive: true });
  // Made durable before the caller can record success.
  const done = [...removed, ...free].map(({ path }) => path);
  syncPaths(top, done);
  return { files: done.length, problem: problemOf(blocked, repositories) };
}

const submodule = '160000';

function isNew({ how }: TreeChange): boolean {
  return how === 'A';
}

/**
 * A path with what would be lost if it were restored: ignored files are in no tree and no patch.
 */
function obstacleOf(top: string, { mode, path }: TreeChange): [string, string][] {
  const other = mode === submodule ? null : inTheWay(top, path);
  return other === null ? [] : [[path, other]];
}

function problemOf(blocked: ReadonlyMap<string, string>, [repository]: readonly TreeChange[]): string | null {
  const [first] = blocked;
  if (first === undefined) {
    return repository === undefined
      ? null
      : `\`${repository.path}\` is not taken away: it is a repository of its own; move it, then resume the run`;
  }
  const [path, other] = first;
  return `\`${path}\` is not put back: \`${other}\`, which git ignores, lies there now; move it, then resume the run`;
}

/** The tree that results from applying only some changes to another. */
function treeWith(workspace: string, tree: string, changes: readonly TreeChange[]): Promise<string> {
  return withIndex(workspace, tree, async (ask) => {
    const stdin = changes.map(({ mode, object, path }) => `${mode} ${object}\t${path}\0`).join('');
    await ask(['update-index', '--replace', '-z', '--index-info'], stdin);
    return (await ask(['write-tree', '--missing-ok'])).trim();
  });
}

/** Removes files that the index knows, and folders that are then empty, even the workspace. */
const remove = [
  'rm',
  '--quiet',
  '--force',
  '--ignore-unmatch',
  '--pathspec-from-file=-',
  '--pathspec-file-nul',
];
/** Writes files as the index has them. */
const restore = ['checkout-index', '--force', '-z', '--stdin'];

/**
 * Runs git on some paths, from the top (below it `rm` accepts no list), with an index of a tree.
 */
async function withPaths(
  top: string,
  tree: string,
  args: readonly string[],
  changes: readonly TreeChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const stdin = changes.map(({ path }) => `${path}\0`).join('');
  await withIndex(top, tree, (ask) => ask(args, stdin));
}

type Ask = (args: readonly string[], stdin?: string) => Promise<string>;

/** Calls `work` with a function that runs git with a temporary index of a tree. */
async function withIndex(cwd: string, tree: string, work: (ask: Ask) => Promise<string>): Promise<string> {
  const done = await lookAt(cwd, async (look) => {
    const env = { GIT_LITERAL_PATHSPECS: '1' };
    const ask: Ask = async (args, stdin = '') => answer(args, await look.git(args, { env, stdin }));
    await ask(['read-tree', tree]);
    return work(ask);
  });
  if (done === null) throw new Error(`${cwd} is not a git working tree`);
  return done;
}

/** Git's output. Throws git's error message. */
function answer(args: readonly string[], result: RunResult): string {
  if (result.exitCode === 0) return result.stdout;
  throw new Error(whyGitFailed(result) || `git ${args[0]} failed`);
}
