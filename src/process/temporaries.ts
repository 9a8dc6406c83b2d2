import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { readProcess } from './proc.ts';

/*
 * Temporary folders. Their names identify the process that made them:
 * `mailroom-<namespace>-<pid>-<start>-<random>`; the namespace because in another one the pid may
 * be another process, or none.
 */

const named = /^mailroom-(\d+)-(\d+)-([\da-z]+-\d+)-[A-Za-z\d]{6}$/;

/**
 * Makes a folder that only the current user can read. The caller removes it; if that process dies,
 * a later host does.
 */
export function makeTemporary(): string {
  return mkdtempSync(join(tmpdir(), `mailroom-${owner()}`));
}

/** Runs `work` with such a folder and removes the folder afterwards. */
export async function inTemporary<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeTemporary();
  try {
    return await work(folder);
  } finally {
    removeTemporary(folder);
  }
}

/** Never throws: files that a program made there and that cannot be removed do no harm. */
export function removeTemporary(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A later host tries again.
  }
}

/** Removes the folders of this user's dead processes. Leaves a folder whose owner is uncertain. */
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

/** A folder of another boot may belong to another machine. */
function isOfThisBoot(start: string): boolean {
  return readProcess(process.pid)?.startTime.split('-')[0] === start.split('-')[0];
}

/** Identifies the pid namespace of this process; null: the system does not report it. */
function namespace(): string | null {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? null;
  } catch {
    return null;
  }
}
