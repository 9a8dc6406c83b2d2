import { join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import { takeKernelLock } from './flock.ts';
import { lockFile, readHolder, type Holder } from './holder.ts';
import type { FallbackLock } from './fallback-lock.ts';
import type { RealDisk } from '../disk/real-disk.ts';
import { otherHolder } from './holding.ts';
import { refuseTrackedState } from './tracked.ts';

export interface Lock {
  release(): Promise<void>;
  /** Resolves when the lock is gone without `release`. */
  readonly lost: Promise<void>;
}

/** The lock where flock(1) is missing. What it takes is loaded only then. */
export async function fallbackLock(disk: RealDisk, file: string): Promise<FallbackLock> {
  const { takeFallbackLock } = await import('./fallback-lock.ts');
  return takeFallbackLock(disk, file);
}

/** One controller a project: the kernel's lock, or where flock(1) is missing a weaker one. Throws `E_LOCKED`, `E_TRACKED`. */
export async function takeLock(disk: RealDisk): Promise<Lock> {
  await refuseTrackedState(disk);
  disk.makeFolder('.mailroom');
  const kernel = await takeKernelLock(join(disk.root, lockFile));
  if (!kernel.held && kernel.reason === 'failed')
    throw new MailroomError(
      'E_LOCKED',
      `the project cannot be locked: ${kernel.error}`,
      'look who owns .mailroom/ and what it allows (ls -ld .mailroom)',
    );
  const fallback = !kernel.held && kernel.reason === 'missing' ? await fallbackLock(disk, lockFile) : null;
  const lock = kernel.held ? kernel : fallback?.held === true ? fallback : null;
  if (lock !== null && otherHolder(disk, lockFile) === null) return lock;
  await lock?.release();
  throw taken(readHolder(disk));
}

function taken(holder: Holder | null): MailroomError {
  const who = holder === null ? 'another controller' : `process ${String(holder.pid)} on ${holder.host}`;
  const since = holder === null ? '' : `, since ${new Date(holder.since).toISOString()}`;
  const hint =
    holder?.triggers === false
      ? 'a run moves the mail for its roles until it is over; `mailroom runs` shows it'
      : 'there is one controller a project; `mailroom status` shows what it does';
  return new MailroomError('E_LOCKED', `${who} holds this project${since}`, hint);
}
