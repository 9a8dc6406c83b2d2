import { mkdirSync } from 'node:fs';
import { diskError } from '../disk/disk.ts';

/** Makes the folder (absolute) of a new project. Throws `E_DISK`. */
export function makeProjectFolder(root: string): void {
  try {
    mkdirSync(root, { recursive: true });
  } catch (error) {
    throw diskError('make the folder', root, error);
  }
}
