import { accessSync, constants, statfsSync } from 'node:fs';
import { MailroomError } from '../kernel/errors.ts';
import { attempt } from './disk-attempts.ts';

/** Why this user cannot make files in a folder, as `E_DISK` with a hint; null: it can. */
export function refusalToWriteIn(folder: string): MailroomError | null {
  try {
    attempt('write in', folder, () => accessSync(folder, constants.W_OK | constants.X_OK));
    return null;
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    return error;
  }
}

/**
 * The bytes that this user can still write on the file system of a folder; 0 also where no file can
 * be made.
 */
export function roomIn(folder: string): number {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return files > 0 && ffree === 0 ? 0 : bavail * bsize;
}
