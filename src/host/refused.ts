import { MailroomError } from '../kernel/errors.ts';
import { join, parentOf } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { freeNames } from '../disk/file-names.ts';

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
  for (const free of freeNames(path.slice(parentOf(path).length + 1))) {
    const moved = disk.rename(path, join(folder, free), { replace: false });
    if (moved === 'missing') return;
    if (moved === 'exists') continue;
    disk.write(join(folder, `${free}.reason.txt`), `${problem}\n`);
    return;
  }
  throw new MailroomError('E_INTERNAL', `no name was free in ${folder}`);
}
