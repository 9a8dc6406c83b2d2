import { join } from 'node:path';
import process from 'node:process';
import { MailroomError } from '../../kernel/errors.ts';
import { isKernelLocked } from '../../host/flock.ts';
import { readProcess } from '../../process/proc.ts';
import { holderFile, removeHolder, writeHolder } from '../../host/holder.ts';
import type { RealDisk } from '../../disk/real-disk.ts';
import { contextHolderFile, contextLockFile, readContextHolder } from '../files/context-holder.ts';
import { ownContextFolder, runFolders, runHolder, runLockFile } from '../files/layout.ts';
import { otherHolder } from '../../host/holding.ts';
import { areLocksHidden, take, type HostLock } from '../../host/lock.ts';
import { clearPlaces } from '../../host/state-places.ts';

/**
 * Locks a run and its context folder (absolute) for the life of this process, and clears the places
 * of its state. Throws `E_LOCKED` when another process hosts the run or another run uses the
 * folder.
 */
export async function takeRun(project: RealDisk, run: string, contextFolder: string): Promise<HostLock> {
  const before = readContextHolder(project, contextFolder)?.run ?? null;
  const isOwn = before === run || contextFolder === join(project.root, ownContextFolder(run));
  const inUse = () => (isOwn ? going(run) : usedBy(contextFolder, before));
  const held = [await take(project, contextLockFile(contextFolder), before && runHolder(before), inUse)];
  const release = async (): Promise<void> => {
    for (const lock of held.toReversed()) await lock.release();
  };
  try {
    held.push(await take(project, runLockFile(run), runHolder(run), () => going(run)));
    const refused = [
      ...clearPlaces(project, 'folder', runFolders(run)),
      ...clearPlaces(project, 'file', [holderFile(runHolder(run)), contextHolderFile(contextFolder)]),
    ];
    const startTime = readProcess(process.pid)?.startTime ?? null;
    writeHolder(project, { since: Date.now(), triggers: false, startTime }, runHolder(run));
    return {
      refused,
      lost: Promise.race(held.map(({ lost }) => lost)),
      release: async () => {
        try {
          removeHolder(project, runHolder(run));
        } finally {
          await release();
        }
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Whether a process hosts the run, by its lock. */
export async function isAlive(project: RealDisk, run: string): Promise<boolean> {
  const file = runLockFile(run);
  if (areLocksHidden(project.root))
    throw new MailroomError(
      'E_LOCKED',
      `whether a process works on the run ${run} is unknown: a sandbox hides locks`,
      'ask outside of it',
    );
  const locked = await isKernelLocked(join(project.root, file));
  if (locked === true || otherHolder(project, runHolder(run)) !== null) return true;
  const { isFallbackLocked } = await import('../../host/fallback-lock.ts');
  return isFallbackLocked(project, file);
}

/** The lock files of a run, relative to the project. */
export function lockFilesOf(run: string, contextFolder: string): string[] {
  return [runLockFile(run), contextLockFile(contextFolder)];
}

function going(run: string): MailroomError {
  return new MailroomError(
    'E_LOCKED',
    `another process works on the run ${run}`,
    `\`mailroom show ${run}\` shows what it does`,
  );
}

function usedBy(folder: string, holder: string | null): MailroomError {
  return new MailroomError(
    'E_LOCKED',
    `the context folder ${folder} is used by ${holder === null ? 'another run' : `the run ${holder}`}`,
    'wait for it, cancel it, or give this run another folder: `--workspace DIR`, or `context_dir` of its workflow',
  );
}
