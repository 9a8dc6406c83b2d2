import { hostname } from 'node:os';
import process from 'node:process';
import { lockNames } from '../kernel/lock-names.ts';
import { readHolderFile, type Holder } from '../letters/letters.ts';
import { readContent } from '../disk/contents.ts';
import type { Disk } from '../disk/disk.ts';

export type { Holder };

/** What a process says of itself that holds a lock. `problems`: none, if missing. */
export type HolderNote = Omit<Holder, 'pid' | 'host' | 'problems'> & {
  readonly problems?: readonly string[];
};

/** What the kernel's lock is taken on. */
export const lockFile: string = lockNames.project;

const bootFile = '.mailroom/boot';

/** A holder whose file is larger than is read would be nobody. */
const mostProblems = 5;
const longestProblem = 300;

/**
 * Writes down that this process holds a lock, and its problems now, for whoever finds it taken: at most five of 300 characters.
 * `lock`: what the lock is taken on.
 */
export function writeHolder(disk: Disk, told: HolderNote, lock = lockFile): Holder {
  const problems = (told.problems ?? []).slice(0, mostProblems).map((each) => each.slice(0, longestProblem));
  const holder = { pid: process.pid, host: hostname(), ...told, problems };
  disk.write(holderOf(lock), `${JSON.stringify(holder)}\n`);
  return holder;
}

/** Who held the lock last; null when nobody wrote it down. Only the lock itself says whether they still hold it. */
export function readHolder(disk: Disk, lock = lockFile): Holder | null {
  const content = readContent(disk, holderOf(lock), 10_000);
  const read = content !== 'gone' && content.ok ? readHolderFile(content.text) : null;
  return read?.ok === true ? read.value : null;
}

/** Forgets that this process holds a lock. Who has taken it since stays written down. */
export function removeHolder(disk: Disk, lock = lockFile): void {
  const holder = readHolder(disk, lock);
  if (holder === null || (holder.pid === process.pid && holder.host === hostname()))
    disk.remove(holderOf(lock));
}

function holderOf(lock: string): string {
  return `${lock}.json`;
}

/** The boot of the machine in which the last controller ran, as the system names it; null: nobody wrote it down. */
export function readBoot(disk: Disk): string | null {
  return disk.read(bootFile, 1_000)?.toString('utf8').trim() ?? null;
}

export function writeBoot(disk: Disk, boot: string): void {
  disk.write(bootFile, `${boot}\n`);
}
