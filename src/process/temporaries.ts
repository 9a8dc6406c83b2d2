import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { readProcess } from './proc.ts';

/*
 * Throw-away folders. Their names say which process made them: `mailroom-<namespace>-<pid>-<start>-<chance>`; the namespace
 * because in another one the pid may be another process, or none.
 */

const named = /^mailroom-(\d+)-(\d+)-([\da-z]+-\d+)-[A-Za-z\d]{6}$/;

/** Makes a folder that only we can read. Whoever makes it removes it, and if that dies, a later host. */
export function makeTemporary(): string {
  return mkdtempSync(join(tmpdir(), `mailroom-${owner()}`));
}

/** Does something that needs such a folder for so long. */
export async function inTemporary<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeTemporary();
  try {
    return await work(folder);
  } finally {
    removeTemporary(folder);
  }
}

/** Never throws: what a program made there that cannot be removed is in nobody's way. */
export function removeTemporary(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A later host tries again.
  }
}

/** Removes the folders that processes of this user have left that are gone. What it is not sure of it leaves alone. */
export function removeDeadTemporaries(folder = tmpdir()): void {
  const space = namespace();
  if (space === null) return;
  for (const name of readdirSync(folder)) {
    const [, where, pid, start] = named.exec(name) ?? [];
    if (where !== space || pid === undefined) continue;
    if (readProcess(Number(pid))?.startTime === start || !isOfThisBoot(start ?? '')) continue;
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true && stats.uid === process.getuid?.()) removeTemporary(path);
  }
}

function owner(): string {
  const space = namespace();
  const self = readProcess(process.pid);
  return space === null || self === null ? '' : `${space}-${String(process.pid)}-${self.startTime}-`;
}

/** A folder of another boot may be one of another machine. */
function isOfThisBoot(start: string): boolean {
  return readProcess(process.pid)?.startTime.split('-')[0] === start.split('-')[0];
}

/** Which processes the pids that we see are of; null: the system does not say. */
function namespace(): string | null {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? null;
  } catch {
    return null;
  }
}
