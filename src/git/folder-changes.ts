import { relative } from 'node:path';
import { changedPaths, noteTree } from './workspace-tree.ts';

/** Where Mailroom itself writes, below the project: its state, and mail that comes and goes. */
const OURS = /^(?:\.mailroom|agents\/[^/]+\/(?:inbox|outbox|processed|sent|failed))\//;

/** Whether a path of the project is one that Mailroom itself writes. */
export function isOurs(path: string): boolean {
  return OURS.test(path);
}

/** The same of the paths in a folder. */
export function ownPaths(folder: string, project: string): (path: string) => boolean {
  const below = relative(project, folder);
  // A checkout of a thread is a folder of its own, although it lies in a folder of ours.
  const prefix = below === '' || below.startsWith('.mailroom/') ? '' : `${below}/`;
  return (path) => isOurs(`${prefix}${path}`);
}

export interface FolderWatch {
  /**
   * Paths in the folder whose content is another now, without what git ignores; why git cannot tell; null: the folder lies
   * outside git.
   */
  changes(): Promise<readonly string[] | string | null>;
}

/** Notes what a folder holds now. Below the project, files of Mailroom's own do not count. */
export async function watchFolder(folder: string, project: string): Promise<FolderWatch> {
  const before = await noteTree(folder);
  const isOurPath = ownPaths(folder, project);
  return {
    async changes() {
      if (before.tree === null && before.problem === null) return null;
      const after = await noteTree(folder);
      if (after.tree === null) return after.problem ?? 'git finds no repository there any more';
      if (before.tree === null) return before.problem;
      // Git passes over it: what an agent has put there would count as nothing.
      const closed = after.closed.find((path) => !before.closed.includes(path) && !isOurPath(path));
      if (closed !== undefined) return `git cannot read the folder ${JSON.stringify(closed)}`;
      const paths = before.tree === after.tree ? [] : await changedPaths(folder, before.tree, after.tree);
      return paths?.filter((path) => !isOurPath(path)) ?? 'git finds what it noted no more';
    },
  };
}
