import { hostname } from 'node:os';
import lockfile from 'proper-lockfile';
import { isJsonObject } from '../core/json.ts';
import { diskError } from './disk.ts';
import type { Disk } from './disk.ts';

/** What the kernel's lock is taken on; `takeFallbackLock` makes a folder beside it. */
export const lockFile = '.mailroom/lock';
const fallbackFolder = '.mailroom/lock.held';
const holderFile = '.mailroom/lock.json';

/** A lock whose owner did not renew it for this long counts as abandoned, in milliseconds. */
const staleMs = 15_000;
const renewMs = 3_000;

export type FallbackLock =
  | {
      readonly held: true;
      /** Lets go of it. */
      release(): Promise<void>;
      /** Resolves when the lock may be somebody else's (this process stood still for too long): stop at once. */
      readonly lost: Promise<void>;
    }
  | { readonly held: false; readonly reason: 'taken' };

/**
 * The lock for systems without flock(1): a folder whose time is renewed. Weaker than the kernel's: it outlives a killed
 * owner for 15 s, and a process that stood still for that long can lose it. Throws `E_DISK`.
 */
export function takeFallbackLock(disk: Disk): FallbackLock {
  disk.makeFolder('.mailroom');
  let tell = (): void => {};
  const lost = new Promise<void>((resolve) => (tell = resolve));
  const lockfilePath = `${disk.root}/${fallbackFolder}`;
  const options = {
    lockfilePath,
    realpath: false,
    stale: staleMs,
    update: renewMs,
    onCompromised: () => tell(),
  };
  try {
    const unlock = lockfile.lockSync(`${disk.root}/${lockFile}`, options);
    const release = (): Promise<void> => {
      // Removing it twice, or after it was lost, is not an error for the caller.
      try {
        unlock();
      } catch {}
      return Promise.resolve();
    };
    return { held: true, release, lost };
  } catch (error) {
    if ((error as { code?: string }).code === 'ELOCKED') return { held: false, reason: 'taken' };
    throw diskError('lock', lockFile, error);
  }
}

/** Who took the project's lock. */
export interface Holder {
  readonly pid: number;
  /** The machine's name. */
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Writes down that this process holds the lock, for whoever finds it taken. */
export function writeHolder(disk: Disk, since: number): Holder {
  const holder = { pid: process.pid, host: hostname(), since };
  disk.write(holderFile, `${JSON.stringify(holder)}\n`);
  return holder;
}

/** Who held the lock last; null when nobody wrote it down. Only the lock itself says whether they still hold it. */
export function readHolder(disk: Disk): Holder | null {
  const text = disk.read(holderFile, 10_000)?.toString('utf8') ?? '';
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return null;
    const { pid, host, since } = value;
    const whole = typeof pid === 'number' && typeof host === 'string' && typeof since === 'number';
    return whole ? { pid, host, since } : null;
  } catch {
    return null;
  }
}

export function removeHolder(disk: Disk): void {
  disk.remove(holderFile);
}
