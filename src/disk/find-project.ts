import { readdirSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/**
 * The search for a project reads the disk through this, by absolute paths. What it cannot read
 * counts as missing.
 */
export interface FolderReader {
  readonly exists: (path: string, kind: 'any' | 'folder') => boolean;
  readonly list: (folder: string) => readonly string[];
}

/**
 * The project of a folder (absolute): the nearest ancestor that has a `mailroom.yaml`,
 * `.mailroom/`, `protocols/*.yaml` or a `role.md` of a role in `agents/`. The search ends with the
 * root of a git repository and with the home folder. A folder below `.mailroom/worktrees/` belongs
 * to the project above. Null: no project.
 */
export function findProject(from: string, home: string | null, around: FolderReader = onDisk): string | null {
  const worktrees = `${sep}.mailroom${sep}worktrees${sep}`;
  const at = `${from}${sep}`.indexOf(worktrees);
  const start = at < 0 ? from : from.slice(0, at) || sep;
  for (let folder = start; ; folder = dirname(folder)) {
    if (isProject(folder, around)) return folder;
    const isLast = folder === home || around.exists(join(folder, '.git'), 'any');
    if (isLast || dirname(folder) === folder) return null;
  }
}

/** An empty folder `agents` does not make a project: other programs have one, too. */
function isProject(folder: string, { exists, list }: FolderReader): boolean {
  const agents = join(folder, 'agents');
  return (
    exists(join(folder, 'mailroom.yaml'), 'any') ||
    exists(join(folder, '.mailroom'), 'folder') ||
    list(join(folder, 'protocols')).some(isProtocolFile) ||
    list(agents).some((role) => exists(join(agents, role, 'role.md'), 'any'))
  );
}

export function isFolder(path: string): boolean {
  return onDisk.exists(path, 'folder');
}

/** Whether a folder has workflows, which alone make no project: other programs have some, too. */
export function hasWorkflows(folder: string, { list }: FolderReader = onDisk): boolean {
  return list(join(folder, 'workflows')).some(isProtocolFile);
}

const onDisk: FolderReader = {
  exists: (path, kind) => {
    try {
      const found = statSync(path);
      return kind === 'any' || found.isDirectory();
    } catch {
      return false;
    }
  },
  list: (folder) => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  },
};

/** Whether a file of this name in `protocols/` is part of the protocol. */
export function isProtocolFile(name: string): boolean {
  return /\.ya?ml$/.test(name) && !name.startsWith('.');
}
