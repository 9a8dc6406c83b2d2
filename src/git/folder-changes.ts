import { join, relative } from 'node:path';
import type { FolderChanges } from '../kernel/edits.ts';
import { isMailFolder, mailFolders } from '../kernel/rule-names.ts';
import { changedPaths, noteTree } from './workspace-tree.ts';

/** Paths that Mailroom itself writes, below the project: its state and mail, as globs for git. */
export const ourGlobs: readonly string[] = [
  '.mailroom/**',
  ...mailFolders.map((folder) => `agents/*/${folder}/**`),
];

/** Whether Mailroom itself writes this path of the project. */
export function isOurs(path: string): boolean {
  const segments = path.split('/');
  return (
    segments.length > 1 && (segments[0] === '.mailroom' || (segments.length > 3 && isMailFolder(segments)))
  );
}

/** Like `isOurs`, for paths relative to a folder; the folder itself may lie among our files. */
export function ownPaths(folder: string, project: string): (path: string) => boolean {
  const below = relative(project, folder);
  // The checkout of a thread is a separate workspace although it lies in .mailroom.
  if (below.startsWith('.mailroom/')) return isOurs;
  // The folder may lie below the project, or around it.
  return (path) => isOurs(relative(project, join(folder, path)) + (path.endsWith('/') ? '/' : ''));
}

/**
 * Resolves to what changed in a folder, ignored files left out; a string: why git cannot compare;
 * null: the folder lies outside git.
 */
export type FolderWatch = () => Promise<FolderChanges | string | null>;

/**
 * Records the present content of a folder. Files that Mailroom itself writes below the project do
 * not count.
 */
export async function watchFolder(folder: string, project: string): Promise<FolderWatch> {
  const before = await noteTree(folder);
  const isOurPath = ownPaths(folder, project);
  return async () => {
    if (before.tree === null && before.problem === null) return null;
    const after = await noteTree(folder);
    if (after.tree === null) return after.problem ?? 'git finds no repository there any more';
    if (before.tree === null) return before.problem;
    // Git skips such a folder, so an agent's changes in it would not be seen.
    const closed = after.closed.find((path) => !before.closed.includes(path) && !isOurPath(path));
    if (closed !== undefined) return `git cannot read the folder ${JSON.stringify(closed)}`;
    if (before.tree === after.tree) return { paths: [], untracked: [] };
    const changed = await changedPaths(folder, before.tree, after.tree);
    if (changed === null) return 'git finds what it noted no more';
    const paths = changed.filter((path) => !isOurPath(path));
    return { paths, untracked: before.untracked(paths) };
  };
}
