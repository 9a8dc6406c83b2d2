import lockfile from 'proper-lockfile';
import { systemCode } from '../kernel/contained.ts';
import { diskError, parentOf } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { lockFile } from './holder.ts';

/** Milliseconds without renewal after which a lock counts as abandoned. */
const staleMs = 15_000;
const renewMs = 3_000;

type FallbackLock =
  | {
      readonly held: true;
      /** Releases the lock. */
      release(): Promise<void>;
      /**
       * Resolves when another process may have the lock (this one was suspended for too long): stop
       * at once.
       */
      readonly lost: Promise<void>;
    }
  | { readonly held: false; readonly reason: 'taken' };

/**
 * The lock for systems without flock(1): a folder beside the file, `<file>.held`, whose time is
 * renewed. Weaker than the kernel's: it outlives a killed owner for 15 s, and a process that was
 * suspended for that long can lose it. Throws `E_DISK`.
 */
export function takeFallbackLock(disk: Disk, file = lockFile): FallbackLock {
  disk.makeFolder(parentOf(file));
  let reportLost = (): void => {};
  const lost = new Promise<void>((resolve) => (reportLost = resolve));
  const lockfilePath = heldFolder(disk, file);
  const options = {
    lockfilePath,
    realpath: false,
    stale: staleMs,
    update: renewMs,
    onCompromised: () => reportLost(),
  };
  try {
    const unlock = lockfile.lockSync(`${disk.root}/${file}`, options);
    const release = (): Promise<void> => {
      // Removing it twice, or after it was lost, is not an error for the caller.
      try {
        unlock();
      } catch {}
      return Promise.resolve();
    };
    return { held: true, release, lost };
  } catch (error) {
    if (systemCode(error) === 'ELOCKED') return { held: false, reason: 'taken' };
    throw diskError('lock', file, error);
  }
}

/** Whether such a lock is held, or was abandoned less than 15 s ago. */
export function isFallbackLocked(disk: Disk, file: string): boolean {
  const lockfilePath = heldFolder(disk, file);
  return lockfile.checkSync(`${disk.root}/${file}`, { lockfilePath, realpath: false, stale: staleMs });
}

function heldFolder(disk: Disk, file: string): string {
  return `${disk.root}/${file}.held`;
}
