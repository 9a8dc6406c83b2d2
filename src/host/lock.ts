import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import { isPassing } from '../kernel/passing.ts';
import { lockNames } from '../kernel/lock-names.ts';
import { takeKernelLock } from './flock.ts';
import { lockFile, readHolder, type Holder } from './holder.ts';
import { kindWords } from '../disk/contents.ts';
import { parentOf } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { otherHolder } from './holding.ts';
import { clearStateFiles, openState } from './state-places.ts';
import { refuseTrackedState, stateFolder } from './tracked.ts';

export interface Lock {
  release(): Promise<void>;
  /** Resolves when the lock is gone without `release`. */
  readonly lost: Promise<void>;
}

/** The lock of a host. */
export interface HostLock extends Lock {
  /** A note for each entry that was in the place of another, and was moved to `refused/`. */
  readonly refused: readonly string[];
}

/**
 * Locks the project for its only controller, and clears the places of its state. Throws `E_LOCKED`,
 * `E_TRACKED`.
 */
export async function takeLock(disk: Disk): Promise<HostLock> {
  await refuseTrackedState(disk);
  const lock = await take(disk, lockFile, lockFile, () => taken(readHolder(disk)));
  try {
    return { ...lock, refused: [...openState(disk), ...clearStateFiles(disk)] };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Locks a file (relative to the project). Throws the error of `whenTaken` while another process
 * holds it, or is noted beside `noted` as its holder and still runs: the file may have been removed
 * meanwhile. `noted` null: no holder is noted.
 */
export async function take(
  disk: Disk,
  file: string,
  noted: string | null,
  whenTaken: () => MailroomError,
): Promise<Lock> {
  const lock = await tryLock(disk, file);
  if (lock !== null && (noted === null || otherHolder(disk, noted) === null)) return lock;
  await lock?.release();
  throw whenTaken();
}

/**
 * The kernel's lock on a file (relative to the project), or a weaker one where flock(1) is missing;
 * null: another process held it for the half second that this waits. Throws `E_LOCKED`, also for
 * anything but a file in its place: a lock that follows a link locks, or creates, another file.
 */
export async function tryLock(disk: Disk, file: string): Promise<Lock | null> {
  refuseOther(disk, file, parentOf(file), 'folder');
  disk.makeFolder(parentOf(file));
  refuseOther(disk, file, file, 'file');
  const kernel = await takeKernelLock(join(disk.root, file));
  if (kernel.held) return kernel;
  if (kernel.reason === 'failed')
    throw unlockable(
      file,
      kernel.error,
      isPassing(kernel.error)
        ? 'raise the limits of this shell (ulimit -n, ulimit -u), or end other programs'
        : 'look who owns the file and its folder, and what they allow (ls -la)',
    );
  if (kernel.reason === 'taken') return null;
  const { takeFallbackLock } = await import('./fallback-lock.ts');
  const fallback = takeFallbackLock(disk, file);
  return fallback.held ? fallback : null;
}

function refuseOther(disk: Disk, file: string, path: string, kind: 'file' | 'folder'): void {
  const found = disk.look(path)?.kind ?? kind;
  // A project may keep all of its state elsewhere below it.
  if (found === kind || path === stateFolder) return;
  const why = `${path} is ${kindWords[found]}, not ${kindWords[kind]}`;
  throw unlockable(file, why, 'look at what lies there, and move it away');
}

function unlockable(file: string, why: string, hint: string): MailroomError {
  return new MailroomError('E_LOCKED', `${file} cannot be locked: ${why}`, hint);
}

/** The error where another process, which is noted as its holder, holds the project. */
export function taken(holder: Holder | null): MailroomError {
  const who = holder === null ? 'another controller' : `process ${String(holder.pid)} on ${holder.host}`;
  const since = holder === null ? '' : `, since ${new Date(holder.since).toISOString()}`;
  const hint =
    holder?.triggers === false
      ? 'a run moves the mail for its roles until it is over; `mailroom runs` shows it'
      : 'there is one controller a project; `mailroom status` shows what it does';
  return new MailroomError('E_LOCKED', `${who} holds this project${since}`, hint);
}

/** Whether this process is in a sandbox, which shows an empty folder in place of the locks. */
export function areLocksHidden(root: string): boolean {
  const device = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.dev;
  const locks = device(lockNames.folder);
  return locks !== undefined && locks !== device(dirname(lockNames.folder));
}
