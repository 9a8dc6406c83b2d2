import { MailroomError } from '../kernel/errors.ts';
import { join } from './disk.ts';
import type { Disk } from './disk.ts';

/**
 * Folders that are never examined: those of Mailroom, git, package managers and other programs that
 * run agents. They change constantly and never contain sources.
 */
export const toolFolders: ReadonlySet<string> = new Set([
  '.git',
  '.mailroom',
  '.orchestrator',
  'node_modules',
]);

/**
 * The time of the last change and the size of each file below a folder, in one string by path.
 * Throws `E_VALUE` if there are more than `most` files and folders.
 */
export function fileTimes(
  disk: Disk,
  leaveOut: (path: string) => boolean,
  most = Infinity,
): Map<string, string> {
  const times = new Map<string, string>();
  const waiting = [''];
  let left = most;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for (const name of disk.list(folder, left + 1) ?? []) {
      if (left === 0) throw tooMany(most);
      left -= 1;
      if (toolFolders.has(name)) continue;
      const path = join(folder, name);
      const look = leaveOut(path) ? null : disk.look(path);
      if (look?.kind === 'folder') waiting.push(path);
      else if (look?.kind === 'file') times.set(path, `${String(look.mtimeMs)} ${String(look.size)}`);
    }
  return times;
}

function tooMany(most: number): MailroomError {
  return new MailroomError(
    'E_VALUE',
    `more than ${String(most)} files and folders would have to be looked at`,
    'begin the globs with the folders that count, or leave folders out, such as `!build/**`',
  );
}

interface FileChange {
  readonly path: string;
  readonly what: 'changed' | 'added' | 'removed';
}

/** The files that differ, by name. */
export function changedFiles(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, what: !before.has(path) ? 'added' : after.has(path) ? 'changed' : 'removed' }));
}
