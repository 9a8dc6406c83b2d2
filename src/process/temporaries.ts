import {
  existsSync,
  lstatSync,
  mkdtempSync,
  opendirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { HostFault } from '../kernel/contained.ts';
import { messageOf } from '../kernel/errors.ts';
import { noTemporary } from '../kernel/passing.ts';
import { readProcess } from './proc.ts';
import { beginAlone } from './starting/launcher.ts';

/*
 * Temporary folders. Their names identify the process that made them:
 * `mailroom-<namespace>-<pid>-<start>-<random>`; the namespace because in another one the pid may
 * be another process, or none.
 */

const named = /^mailroom-(\d+)-(\d+)-([\da-z]+-\d+)-[A-Za-z\d]{6}$/;

/**
 * Makes a folder that only the current user can read. The caller removes it; if that process dies,
 * a later host does. Throws a `HostFault`.
 */
export function makeTemporary(): string {
  try {
    return mkdtempSync(join(tmpdir(), `mailroom-${owner()}`));
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(error: unknown): HostFault {
  // Without the folder's random name: the same fault reads the same each time.
  const why = /^[A-Z0-9]+: [^,]+/.exec(messageOf(error))?.[0] ?? messageOf(error);
  const text = `${noTemporary}${tmpdir()}: ${why}`;
  const hint = 'make room there, or let TMPDIR name a folder that can be written';
  return new HostFault('E_DISK', text, hint, { cause: error });
}

/** Throws a `HostFault` where no such folder can be made and written to now. */
export function checkTemporaries(): void {
  const folder = makeTemporary();
  try {
    writeFileSync(join(folder, 'probe'), 'probe');
  } catch (error) {
    throw unusable(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

/**
 * Removes the folder; one with many files, or a deep one, by a process beside this one, which may
 * take as long as the programs that filled it want. Never throws: files that cannot be removed do
 * no harm.
 */
export function removeTemporary(folder: string): void {
  try {
    if (remove === undefined || isSmall(folder)) return rmSync(folder, { recursive: true, force: true });
    beginAlone({ argv: [remove, '-rf', '--', folder], cwd: '/', env: {} });
  } catch {
    // A later host tries again.
  }
}

/** Not searched: `PATH` may name a folder that agents can write. */
const remove = ['/usr/bin/rm', '/bin/rm'].find((path) => existsSync(path));

/** How many entries are removed within one turn of the event loop. */
const mostRemoved = 200;

/** False also where that cannot be determined: a path may be too long. */
function isSmall(folder: string): boolean {
  try {
    return hasFew(folder);
  } catch {
    return false;
  }
}

function hasFew(folder: string): boolean {
  const waiting = [folder];
  let room = mostRemoved;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entries = opendirSync(at);
    try {
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        room -= 1;
        if (room < 0) return false;
        if (entry.isDirectory()) waiting.push(join(at, entry.name));
      }
    } finally {
      entries.closeSync();
    }
  }
  return true;
}

/** Removes the folders of this user's dead processes. Leaves a folder whose owner is uncertain. */
export function removeDeadTemporaries(folder = tmpdir()): void {
  const space = namespace();
  if (space === null) return;
  for (const name of namesIn(folder)) {
    const [, where, pid, start] = named.exec(name) ?? [];
    if (where !== space || pid === undefined) continue;
    if (readProcess(Number(pid))?.startTime === start || !isOfThisBoot(start ?? '')) continue;
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true && stats.uid === process.getuid?.()) removeTemporary(path);
  }
}

/** A folder that cannot be read has nothing to remove. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
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
