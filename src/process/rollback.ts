import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RolledBack } from '../core/workflow/rollback.ts';
import { git } from './git.ts';
import { salvage } from './run-differences.ts';
import { makeTemporary } from './temporaries.ts';
import { workspaceTree } from './workspace-tree.ts';

/** So much of what is undone is kept. */
const keptBytes = 64 * 1024 * 1024;

export interface Undoing {
  /** Absolute. */
  readonly workspace: string;
  /** What it is put back to: a tree of `workspaceTree`. */
  readonly tree: string;
  /** Paths, relative to the workspace, that stay as they are. */
  readonly ours: (path: string) => boolean;
  /** Replaced by `***` in what is kept. */
  readonly secrets: readonly string[];
  /** Is given what is undone, as a patch, before anything is. */
  readonly keep: (patch: Uint8Array) => void;
}

/**
 * Puts the files of a workspace back to what a tree says: changed and removed ones get their content again, new ones go.
 * Ignored files, commits and the index stay as they are. Never rejects; safe to repeat.
 */
export async function rollBack(undoing: Undoing): Promise<RolledBack> {
  try {
    return await undo(undoing);
  } catch (error) {
    return { files: 0, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function undo({ workspace, tree, ours, secrets, keep }: Undoing) {
  const now = await workspaceTree(workspace);
  if (now === null) return { files: 0, problem: `git cannot say what ${workspace} holds` };
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-status', '--relative', tree, now];
  const listed = await git(args, { cwd: workspace });
  if (listed.exitCode !== 0) return { files: 0, problem: listed.stderr.trim() || 'git cannot compare' };
  const words = listed.stdout.split('\0');
  const changes = words
    .flatMap((path, index) => (index % 2 === 1 ? [{ how: words[index - 1] ?? '', path }] : []))
    .filter(({ path }) => !ours(path));
  if (changes.length === 0) return { files: 0, problem: null };
  const patch = await salvage({ workspace, base: tree }, secrets, keptBytes);
  if (patch !== null) keep(patch);
  const paths = (isNew: boolean) =>
    changes.filter(({ how }) => (how === 'A') === isNew).map(({ path }) => path);
  const removed = await withTree(workspace, now, remove, paths(true));
  const problem = removed ?? (await withTree(workspace, tree, restore, paths(false)));
  return { files: changes.length, problem };
}

/** Files that the index knows are taken away, and folders that are empty then. */
const remove = [
  'rm',
  '--quiet',
  '--force',
  '--ignore-unmatch',
  '--pathspec-from-file=-',
  '--pathspec-file-nul',
];
/** Files are written as the index knows them. */
const restore = ['checkout-index', '--force', '-z', '--stdin'];

/** Runs git on some paths with an index of our own, which knows a tree. Returns what went wrong. */
async function withTree(
  workspace: string,
  tree: string,
  args: readonly string[],
  paths: readonly string[],
): Promise<string | null> {
  if (paths.length === 0) return null;
  const folder = makeTemporary();
  const env = { GIT_INDEX_FILE: join(folder, 'index'), GIT_LITERAL_PATHSPECS: '1' };
  try {
    const known = await git(['read-tree', tree], { cwd: workspace, env });
    const stdin = `${paths.join('\0')}\0`;
    const done = known.exitCode === 0 ? await git(args, { cwd: workspace, env, stdin }) : known;
    return done.exitCode === 0 ? null : done.stderr.trim() || (done.error ?? `git ${args[0]} failed`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
