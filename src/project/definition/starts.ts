import { setTimeout as wait } from 'node:timers/promises';
import type { Disk } from '../../disk/disk.ts';
import { type Lock, tryLock } from '../../host/lock.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { lockNames } from '../../kernel/lock-names.ts';

/** Milliseconds that a start waits for concurrent starts. */
const patience = 30_000;

/** Runs `act` while no run of the project can start. Throws `E_LOCKED` when the wait times out. */
export async function withoutStarts(disk: Disk, act: () => Promise<void>): Promise<void> {
  const lock = await startLock(disk);
  try {
    await act();
  } finally {
    await lock.release();
  }
}

/** Blocks all other starts in the project. Throws `E_LOCKED` when the wait times out. */
async function startLock(disk: Disk): Promise<Lock> {
  const until = Date.now() + patience;
  for (;;) {
    const lock = await tryLock(disk, lockNames.start);
    if (lock !== null) return lock;
    if (Date.now() > until) throw new MailroomError('E_LOCKED', 'other runs are starting', 'try again');
    await wait(50);
  }
}
