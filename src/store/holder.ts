import { hostname } from 'node:os';
import { isJsonObject, parseJson } from '../core/json.ts';
import type { Disk } from './disk.ts';

/** What the kernel's lock is taken on. */
export const lockFile = '.mailroom/lock';

const holderFile = '.mailroom/lock.json';
const bootFile = '.mailroom/boot';

/** Who took the project's lock. */
export interface Holder {
  readonly pid: number;
  /** The machine's name. */
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Whether it starts workflows by their triggers: `up` does, a run that moves the mail for its roles does not. */
  readonly triggers: boolean;
  /** With the pid it names a process for ever; null: the system does not say. */
  readonly startTime: string | null;
}

/** Writes down that this process holds the lock, for whoever finds it taken. */
export function writeHolder(disk: Disk, told: Omit<Holder, 'pid' | 'host'>): Holder {
  const holder = { pid: process.pid, host: hostname(), ...told };
  disk.write(holderFile, `${JSON.stringify(holder)}\n`);
  return holder;
}

/** Who held the lock last; null when nobody wrote it down. Only the lock itself says whether they still hold it. */
export function readHolder(disk: Disk): Holder | null {
  const text = disk.read(holderFile, 10_000)?.toString('utf8') ?? '';
  const value = parseJson(text);
  if (!isJsonObject(value)) return null;
  const { pid, host, since, triggers, startTime } = value;
  if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'number') return null;
  const started = typeof startTime === 'string' ? startTime : null;
  return { pid, host, since, triggers: triggers === true, startTime: started };
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
