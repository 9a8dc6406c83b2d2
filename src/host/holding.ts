import { hostname } from 'node:os';
import process from 'node:process';
import { readProcess } from '../process/proc.ts';
import { readHolder } from './holder.ts';
import type { Holder } from '../letters/letters.ts';
import type { RealDisk } from '../disk/real-disk.ts';

/**
 * Another process that wrote down that it holds a lock, and that is certainly still there: the file that it locked may have
 * been removed or replaced since, and then the lock is free although somebody works. Null: there is none, or nobody knows.
 */
export function otherHolder(disk: RealDisk, lock: string): Holder | null {
  const holder = readHolder(disk, lock);
  if (holder === null || holder.startTime === null) return null;
  if (holder.pid === process.pid || holder.host !== hostname()) return null;
  return isThere(holder.pid, holder.startTime) ? holder : null;
}

/** A pid alone may be that of another process by now. */
export function isThere(pid: number, startTime: string | null): boolean {
  if (startTime !== null) {
    const found = readProcess(pid);
    return found !== null && !found.ended && found.startTime === startTime;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
