import { join, parentOf } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { moveFree } from '../disk/file-names.ts';

/** The folder for what cannot be followed, with the reasons. */
export const refusedFolder = '.mailroom/refused';

/**
 * Moves a file that cannot be followed, of any type, to a folder (default: `refused` beside its
 * own), under a free name, and writes the reason beside it. Does nothing if it has vanished. Throws
 * `E_DISK`.
 */
export function putAside(
  disk: Disk,
  path: string,
  problem: string,
  folder = join(parentOf(parentOf(path)), 'refused'),
): void {
  const moved = moveFree(disk, path, join(folder, path.slice(parentOf(path).length + 1)));
  if (moved !== null) disk.write(`${moved}.reason.txt`, `${problem}\n`);
}
