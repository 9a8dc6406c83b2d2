import { closeSync, constants, fstatSync, openSync, statSync, utimesSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import { orElse } from '../kernel/contained.ts';
import { lockNames } from '../kernel/lock-names.ts';
import { readHolderFile, type Holder } from '../letters/letters.ts';
import { readContent } from '../disk/contents.ts';
import type { Disk } from '../disk/disk.ts';
import type { HeldWork } from '../kernel/why.ts';
import { attempt } from '../disk/disk-attempts.ts';

/** The holder of a project; `since`: milliseconds since 1970. */
export interface ProjectHolder {
  readonly pid: number;
  readonly host: string;
  readonly since: number;
  /**
   * False: it is a run that moves the mail for its roles, and starts no workflow by its triggers.
   */
  readonly triggers: boolean;
  /** Current problems that will be retried. */
  readonly problems: readonly string[];
  /** The turns that wait until this machine can do what they need. */
  readonly held: readonly HeldWork[];
  /** Who uses its slots for agents; null: one is free. */
  readonly slots: Required<HolderNote>['slots'];
}

export type { Holder };

/** The note of a process that holds a lock. `problems`: none, if missing; the others likewise. */
export type HolderNote = Omit<
  Holder,
  'pid' | 'host' | 'project' | 'problems' | 'held' | 'waits' | 'slots'
> & {
  readonly problems?: readonly string[];
  readonly held?: readonly HeldWork[];
  readonly waits?: Holder['waits'];
  readonly slots?: Holder['slots'];
};

/** The file that the kernel's lock is taken on. */
export const lockFile: string = lockNames.project;

const bootFile = '.mailroom/boot';

/** A holder file over the read limit would not be recognised. */
const mostBytes = 64_000;
const mostProblems = 5;
const mostHeld = 20;
const longestProblem = 300;

/**
 * Notes that this process holds a lock, with its current problems, for processes that find it
 * taken: at most five of 300 characters, and twenty things that it holds. `lock`: the locked file.
 */
export function writeHolder(disk: Disk, note: HolderNote, lock = lockFile): Holder {
  const holder = noted(disk, note);
  disk.write(holderFile(lock), textOf(holder));
  return holder;
}

function textOf(holder: Holder): string {
  return `${JSON.stringify(holder)}\n`;
}

/** The least that a file system gives a file, in bytes. */
const block = 4_096;

/**
 * The same where the disk has no room for a new file: in the block that the file has, in one call,
 * so that readers see all of it.
 */
function rewriteHolder(disk: Disk, note: HolderNote, lock: string): void {
  const { held, problems, ...rest } = noted(disk, note);
  const text = textOf({ ...rest, held: held.slice(0, 3), problems: problems.slice(0, 3) });
  attempt('write', holderFile(lock), () => {
    const file = openSync(`${disk.root}/${holderFile(lock)}`, constants.O_WRONLY | constants.O_NOFOLLOW);
    try {
      const bytes = Buffer.alloc(Math.max(Buffer.byteLength(text), fstatSync(file).size), ' ');
      if (bytes.length > block) throw new Error('it does not fit into its block');
      bytes.write(text);
      writeSync(file, bytes, 0, bytes.length, 0);
    } finally {
      closeSync(file);
    }
  });
}

function noted(disk: Disk, note: HolderNote): Holder {
  const problems = (note.problems ?? []).slice(0, mostProblems).map((each) => each.slice(0, longestProblem));
  const held = (note.held ?? [])
    .slice(0, mostHeld)
    .map(({ work, problem }) => ({ work, problem: problem.slice(0, longestProblem) }));
  const project = placeOf(disk);
  const own = { pid: process.pid, host: hostname(), project };
  return { ...own, waits: null, slots: null, ...note, problems, held };
}

/** How often a holder notes that it runs, in milliseconds. */
const noteEvery = 1_000;

/** For a call after every look: notes that the controller runs, by the time of its lock. */
export function notingTime(disk: Disk): () => void {
  let last = 0;
  return () => {
    const now = Date.now();
    if (Math.abs(now - last) < noteEvery) return;
    last = now;
    const note = (): void => utimesSync(`${disk.root}/${lockFile}`, now / 1_000, now / 1_000);
    orElse(() => attempt('note the time of', lockFile, note), undefined);
  };
}

/** When a controller last ran, in milliseconds since 1970; null: not known. Ask before you lock. */
export function lastRan(disk: Disk): number | null {
  return orElse(() => disk.look(lockFile)?.mtimeMs ?? null, null);
}

/** A copy of a project has neither in common with it; one that was moved has its folder. */
function placeOf({ root }: Disk): NonNullable<Holder['project']> {
  const stats = statSync(root, { bigint: true, throwIfNoEntry: false });
  return { path: root, folder: stats === undefined ? '' : `${String(stats.dev)}:${String(stats.ino)}` };
}

/**
 * The last holder of the lock; null: none was noted, or one of a project that this is a copy of.
 * Only the lock itself shows whether they still hold it.
 */
export function readHolder(disk: Disk, lock = lockFile): Holder | null {
  const content = readContent(disk, holderFile(lock), mostBytes);
  const read = content !== 'gone' && content.ok ? readHolderFile(content.text) : null;
  if (read?.ok !== true) return null;
  const { project } = read.value;
  const here = placeOf(disk);
  const isCopied = project !== null && project.path !== here.path && project.folder !== here.folder;
  return isCopied ? null : read.value;
}

/** Removes the note that this process holds a lock. A later holder's note stays. */
export function removeHolder(disk: Disk, lock = lockFile): void {
  const holder = readHolder(disk, lock);
  if (holder === null || (holder.pid === process.pid && holder.host === hostname()))
    disk.remove(holderFile(lock));
}

/** The file with the holder of a lock. */
export function holderFile(lock: string): string {
  return `${lock}.json`;
}

/** What a host publishes of itself while it runs. */
export type Published = Required<Pick<HolderNote, 'problems' | 'held' | 'slots'>>;

/**
 * Writes what a host publishes beside its lock when that changes, for `status` and `why`; a disk
 * error here stops nothing.
 */
export function publishing(
  disk: Disk,
  note: HolderNote,
  current: () => Published,
  lock = lockFile,
): () => void {
  let published = JSON.stringify({ problems: [], held: [], slots: null });
  return () => {
    const now = current();
    const text = JSON.stringify(now);
    if (text === published) return;
    const whole = { ...note, ...now };
    const isWritten =
      orElse(() => (writeHolder(disk, whole, lock), true), false) ||
      orElse(() => (rewriteHolder(disk, whole, lock), true), false);
    if (isWritten) published = text;
  };
}

/** The boot id of the machine on which the last controller ran; null: none was noted. */
export function readBoot(disk: Disk): string | null {
  return disk.read(bootFile, 1_000)?.toString('utf8').trim() ?? null;
}

export function writeBoot(disk: Disk, boot: string): void {
  disk.write(bootFile, `${boot}\n`);
}
