import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { join, type Disk } from '../disk/disk.ts';
import { lockFile, readHolder } from '../host/holder.ts';
import { isThere, livingHolder } from '../host/holding.ts';
import { taken } from '../host/lock.ts';
import { MailroomError } from '../kernel/errors.ts';
import { systemCode } from '../kernel/contained.ts';
import { startBeside } from '../process/supervision/detached.ts';
import type { Project } from '../project/project.ts';

/** Where a controller without a terminal prints, relative to the project. */
export const outputFile = '.mailroom/up.log';

/** How long a start may take, in milliseconds, on a slow machine. */
const longestStart = 60_000;

/** What was started: its process, or what it printed before it ended; empty: it has not ended. */
type Beside = { readonly pid: number } | { readonly pid: null; readonly printed: string };

/**
 * Starts the controller of a project in a process that survives this one, with these options of
 * `up`. Resolves once it works, or has failed. Throws `E_LOCKED` while another one works.
 */
export async function startUpBeside(project: Project, options: readonly string[]): Promise<Beside> {
  const { disk, root } = project;
  refuseSecond(project);
  // Another start at the same time has a file of its own: only what works gets the name.
  const output = `${outputFile}.${randomUUID()}`;
  disk.makeFolder('.mailroom');
  removeLeftovers(disk);
  startBeside(['-C', root, 'up', ...options], root, `${root}/${output}`);
  const until = Date.now() + longestStart;
  for (;;) {
    const [, digits = '', printed = ''] =
      /^process (\d+)\n([^]*)$/.exec(project.files.read(output) ?? '') ?? [];
    const pid = digits === '' ? null : Number(digits);
    const isWorking = pid !== null && project.holder()?.pid === pid;
    if (isWorking || Date.now() > until) {
      disk.rename(output, outputFile);
      return isWorking ? { pid } : { pid: null, printed: '' };
    }
    // One that has ended is there until this program has heard of it; then its error says so.
    if (pid !== null && (/\berror E_\w+: /.test(printed) || !isThere(pid, null))) {
      disk.remove(output);
      return { pid: null, printed };
    }
    await project.changed(200);
  }
}

/** Throws `E_LOCKED` while another process moves the mail of a project. */
export function refuseSecond(project: Project): void {
  if (project.holder() !== null) throw taken(readHolder(project.disk));
}

/** What a start that was killed while it waited has left, where nothing prints into it any more. */
function removeLeftovers(disk: Disk): void {
  const drafts = (disk.list('.mailroom') ?? []).filter((name) => leftover.test(name));
  for (const path of drafts.map((name) => join('.mailroom', name))) {
    const { kind, mtimeMs } = disk.look(path) ?? { kind: null, mtimeMs: 0 };
    // Another start may still have to read why its controller ended.
    if (kind !== 'file' || Date.now() - mtimeMs < longestStart) continue;
    const digits = /^process (\d+)\n/.exec(disk.read(path, 100)?.toString('utf8') ?? '')?.[1];
    if (digits === undefined || !isThere(Number(digits), null)) disk.remove(path);
  }
}

const leftover = /^up\.log\.[0-9a-f-]{36}$/;

interface Stopping {
  readonly pid: number;
  /** False: it is a run that moves the mail for its roles. */
  readonly isController: boolean;
  /** Resolves to true once it has ended, to false if it was not waited for. */
  readonly over: (signal: AbortSignal) => Promise<boolean>;
}

/**
 * Asks the process that moves the mail of a project to end, as a signal of the system does; null:
 * there is none. Throws `E_REFUSED` where it cannot be asked from here.
 */
export function stopHolder(project: Project): Stopping | null {
  const noted = project.holder();
  if (noted === null) return null;
  const { host, triggers } = noted;
  // A process is known by its start: another one may have got the number.
  const holder = livingHolder(project.disk, lockFile);
  if (holder === null)
    throw new MailroomError(
      'E_REFUSED',
      `process ${String(noted.pid)} on ${host} moves the mail, and cannot be reached from here`,
      `run \`mailroom stop\` on ${host}`,
    );
  const { pid } = holder;
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (systemCode(error) === 'EPERM')
      throw new MailroomError(
        'E_REFUSED',
        `process ${String(pid)} belongs to another user`,
        'stop it as that user',
      );
    if (systemCode(error) !== 'ESRCH') throw error;
  }
  const isAlive = () => isThere(holder.pid, holder.startTime);
  return {
    pid,
    isController: triggers,
    over: async (signal) => {
      while (isAlive() && !signal.aborted) await project.changed(200);
      return !isAlive();
    },
  };
}
