import { hostname } from 'node:os';
import { readHolderFile, type Holder } from '../spec/letters.ts';
import { readContent } from './contents.ts';
import type { Disk } from './disk.ts';

export type { Holder };

/** What the kernel's lock is taken on. */
export const lockFile = '.mailroom/lock';

const holderFile = '.mailroom/lock.json';
const bootFile = '.mailroom/boot';

/** Writes down that this process holds the lock, for whoever finds it taken. */
export function writeHolder(disk: Disk, told: Omit<Holder, 'pid' | 'host'>): Holder {
  const holder = { pid: process.pid, host: hostname(), ...told };
  disk.write(holderFile, `${JSON.stringify(holder)}\n`);
  return holder;
}

/** Who held the lock last; null when nobody wrote it down. Only the lock itself says whether they still hold it. */
export function readHolder(disk: Disk): Holder | null {
  const content = readContent(disk, holderFile, 10_000);
  const read = content !== 'gone' && content.ok ? readHolderFile(content.text) : null;
  return read?.ok === true ? read.value : null;
}

export function removeHolder(disk: Disk): void {
  disk.remove(holderFile);
}

/** The boot of the machine in which the last controller ran, as the system names it; null: nobody wrote it down. */
export function readBoot(disk: Disk): string | null {
  return disk.read(bootFile, 1_000)?.toString('utf8').trim() ?? null;
}

export function writeBoot(disk: Disk, boot: string): void {
  disk.write(bootFile, `${boot}\n`);
}
