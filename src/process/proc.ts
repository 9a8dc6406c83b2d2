import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { systemCode } from '../kernel/contained.ts';

/** What the system reports about a process (from /proc). */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The process group that may use the keyboard of its terminal; -1: it has no terminal. */
  readonly foreground: number;
  /** Identifies a process permanently together with the pid: the boot and the tick of its start. */
  readonly startTime: string;
  /** The process has ended; only its entry remains (a zombie). */
  readonly ended: boolean;
}

let boot: string | undefined;
let pidLimit: number | undefined;

/** Identifies the current boot of the system; null: the system does not report it. */
export function bootId(): string | null {
  return readProc('/proc/sys/kernel/random/boot_id')?.toString('latin1').trim() ?? null;
}

/** Null: the process does not exist. */
export function readProcess(pid: number): ProcessInfo | null {
  if (!existsSync(`/proc/${pid}`)) return null;
  const stat = readProc(`/proc/${pid}/stat`)?.toString('latin1');
  if (stat === undefined) return null;
  // The second field is the process name in parentheses and can contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  boot ??= bootId()?.slice(0, 8) ?? 'boot';
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    foreground: Number(fields[5]),
    startTime: `${boot}-${fields[19] ?? ''}`,
    ended: fields[0] === 'Z' || fields[0] === 'X',
  };
}

/** Whether exactly this process lives; another one under a recycled pid does not count. */
export function isAlive({ pid, startTime }: Pick<ProcessInfo, 'pid' | 'startTime'>): boolean {
  const found = readProcess(pid);
  return found !== null && !found.ended && found.startTime === startTime;
}

/** The mark in the process's environment; null: it has none, cannot be read, or has ended. */
export function readMark(pid: number): string | null {
  return readVariable(pid, 'MAILROOM_MARK') ?? null;
}

/**
 * Whether a process has this mark; null: its environment is empty, as it briefly is during an exec.
 */
export function hasMark(pid: number, mark: string): boolean | null {
  const found = readVariable(pid, 'MAILROOM_MARK');
  return found === undefined ? null : found === mark;
}

/**
 * A variable that the process was started with; null: it has none, cannot be read, or has ended;
 * undefined: its environment is empty, as it briefly is during an exec.
 */
export function readVariable(pid: number, name: string): string | null | undefined {
  const environment = readProc(`/proc/${pid}/environ`);
  if (environment === undefined) return null;
  if (environment.length === 0) return undefined;
  const key = keyOf(name);
  // For most processes the only question is whether they have it at all.
  const isFirst = environment.subarray(0, key.length - 1).equals(key.subarray(1));
  const start = isFirst ? 0 : environment.indexOf(key) + 1;
  if (start === 0 && !isFirst) return null;
  const end = environment.indexOf(0, start);
  return environment.toString('utf8', start + key.length - 1, end < 0 ? environment.length : end);
}

const keys = new Map<string, Buffer>();

function keyOf(name: string): Buffer {
  const key = keys.get(name) ?? Buffer.from(`\0${name}=`);
  keys.set(name, key);
  return key;
}

/** Every visible process; null where the system has no /proc, or an empty one. */
export function listProcesses(): number[] | null {
  try {
    const processes = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return processes.length > 0 ? processes : null;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The pid that the system assigned last, and the limit at which pids restart; null where the system
 * does not report it.
 */
export function pidCounter(): { last: number; limit: number } | null {
  pidLimit ??= Number(readProc('/proc/sys/kernel/pid_max')?.toString('latin1'));
  const last = Number(readProc('/proc/loadavg')?.toString('latin1').trim().split(' ')[4]);
  return last > 0 && pidLimit > 0 ? { last, limit: pidLimit } : null;
}

/**
 * Whether a process waits for another one to open a named pipe; false where the system does not
 * report it.
 */
export function waitsForNamedPipe(pid: number): boolean {
  const where = readProc(`/proc/${pid}/wchan`)?.toString('latin1') ?? '';
  return where === 'wait_for_partner' || where === 'fifo_open';
}

/** Whether a signal or a debugger has suspended a process; false where that is unknown. */
export function isSuspended(pid: number): boolean {
  const stat = readProc(`/proc/${String(pid)}/stat`)?.toString('latin1') ?? '';
  return /^[Tt]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

type ProgramState = 'found' | 'missing' | 'not-executable';

/** Whether the system would find this program by the PATH of that environment. */
export function findProgram(name: string, path: string | undefined, cwd: string): ProgramState {
  return locateProgram(name, path, cwd).state;
}

/** Like `findProgram`, with the absolute path of the file that would be started; null: none. */
export function locateProgram(
  name: string,
  path: string | undefined,
  cwd: string,
): { readonly state: ProgramState; readonly file: string | null } {
  const folders = name.includes('/') ? [''] : (path ?? '/bin:/usr/bin').split(delimiter);
  let state: ProgramState = 'missing';
  for (const folder of folders) {
    const file = resolve(cwd, folder, name);
    if (!is(file, 'isFile')) continue;
    if (isExecutable(file)) return { state: 'found', file };
    state = 'not-executable';
  }
  return { state, file: null };
}

export function isFolder(path: string): boolean {
  return is(path, 'isDirectory');
}

function is(path: string, kind: 'isFile' | 'isDirectory'): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.[kind]() === true;
  } catch {
    return false;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Reused by every read, since callers consume the bytes at once. */
let shared = Buffer.allocUnsafeSlow(16_384);

/**
 * Undefined: the process has ended or is not readable. Throws every other error, so that none is
 * mistaken for an ended process.
 */
function readProc(file: string): Buffer | undefined {
  try {
    const descriptor = openSync(file, 'r');
    try {
      return readAll(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

/** The kernel fills the buffer as far as it can: a shorter read was complete. */
function readAll(descriptor: number): Buffer {
  for (;;) {
    const count = readSync(descriptor, shared, 0, shared.length, 0);
    if (count < shared.length) return shared.subarray(0, count);
    shared = Buffer.allocUnsafeSlow(2 * shared.length);
  }
}
