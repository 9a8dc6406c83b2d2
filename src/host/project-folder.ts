import { mkdirSync } from 'node:fs';
import { diskError, join } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';

/** Makes the folder (absolute) of a new project. Throws `E_DISK`. */
export function makeProjectFolder(root: string): void {
  try {
    mkdirSync(root, { recursive: true });
  } catch (error) {
    throw diskError('make the folder', root, error);
  }
}

/** What git ignores in a folder of Mailroom's own, whatever the repository ignores. */
const everything = '*\n';
const stateIgnored = '.mailroom/.gitignore';

/**
 * Makes git ignore the state of a project, this file included; repairs a changed file. Throws
 * `E_DISK`.
 */
export function ignoreState(disk: Disk): void {
  if (disk.look(stateIgnored)?.kind === 'file') {
    const text = disk.read(stateIgnored, everything.length + 1)?.toString('utf8');
    if (text === everything) return;
  }
  ignoreFolder(disk, '.mailroom');
}

/** Makes git ignore everything in a folder, this file included. Throws `E_DISK`. */
export function ignoreFolder(disk: Disk, folder: string): void {
  disk.write(join(folder, '.gitignore'), everything);
}
