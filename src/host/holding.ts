import { hostname } from 'node:os';
import process from 'node:process';
import { systemCode } from '../kernel/contained.ts';
import { isAlive } from '../process/proc.ts';
import { readHolder } from './holder.ts';
import type { Holder } from '../letters/letters.ts';
import type { Disk } from '../disk/disk.ts';

/**
 * Another process that noted itself as the holder of a lock and is certainly alive: its locked file
 * may have been removed or replaced since, so that the lock is free although it works. Null: there
 * is none, or it is unknown.
 */
export function otherHolder(disk: Disk, lock: string): Holder | null {
  const holder = livingHolder(disk, lock);
  return holder?.pid === process.pid ? null : holder;
}

/** The noted holder of a lock, which is certainly alive; null: there is none, or it is unknown. */
export function livingHolder(disk: Disk, lock: string): Holder | null {
  const holder = readHolder(disk, lock);
  if (holder === null || holder.startTime === null || holder.host !== hostname()) return null;
  return isThere(holder.pid, holder.startTime) ? holder : null;
}

/** The noted holder of the project, if that very process is there; null: no controller runs. */
export function presentHolder(disk: Disk): Holder | null {
  const holder = readHolder(disk);
  return holder !== null && isThere(holder.pid, holder.startTime) ? holder : null;
}

/** A pid alone may have been reused by another process. */
export function isThere(pid: number, startTime: string | null): boolean {
  if (startTime !== null) return isAlive({ pid, startTime });
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
