import { mkdirSync } from 'node:fs';
import { diskError } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';

/** Makes the folder (absolute) of a new project. Throws `E_DISK`. */
export function makeProjectFolder(root: string): void {
  try {
    mkdirSync(root, { recursive: true });
  } catch (error) {
    throw diskError('make the folder', root, error);
  }
}

/** What git ignores in the folder of Mailroom's state, whatever the repository ignores. */
const ignoreFile = '.mailroom/.gitignore';
const everything = '*\n';

/**
 * Makes git ignore the state of a project, this file included; repairs a changed file. Throws
 * `E_DISK`.
 */
export function ignoreState(disk: Disk): void {
  if (disk.look(ignoreFile)?.kind === 'file') {
    const text = disk.read(ignoreFile, everything.length + 1)?.toString('utf8');
    if (text === everything) return;
  }
  disk.write(ignoreFile, everything);
}
