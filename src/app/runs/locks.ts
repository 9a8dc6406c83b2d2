import { dirname, join } from 'node:path';
import { MailroomError } from '../../core/errors.ts';
import { isKernelLocked, takeKernelLock } from '../../process/flock.ts';
import type { RealDisk } from '../../store/real-disk.ts';
import { contextLockFile, readContextHolder } from '../../store/runs/context-holder.ts';
import { runLockFile } from '../../store/runs/layout.ts';
import { fallbackLock, type Lock } from '../lock.ts';

/**
 * Takes a run and the context folder (absolute) that it works in, for as long as this process lives. Throws `E_LOCKED`
 * when another process goes on with the run, or another run uses the folder.
 */
export async function takeRun(project: RealDisk, run: string, contextFolder: string): Promise<Lock> {
  const context = await take(project, contextLockFile(contextFolder), () => {
    const holder = readContextHolder(project, contextFolder)?.run ?? 'another run';
    return holder === run ? going(run) : usedBy(contextFolder, holder);
  });
  try {
    const own = await take(project, runLockFile(run), () => going(run));
    return {
      lost: Promise.race([own.lost, context.lost]),
      release: async () => {
        await own.release();
        await context.release();
      },
    };
  } catch (error) {
    await context.release();
    throw error;
  }
}

/** Whether a process goes on with the run: told by its lock, never by guessing. */
export async function isAlive(project: RealDisk, run: string): Promise<boolean> {
  const file = runLockFile(run);
  const locked = await isKernelLocked(join(project.root, file));
  if (locked === true) return true;
  const { isFallbackLocked } = await import('../../store/lock.ts');
  return isFallbackLocked(project, file);
}

const whoseIsIt = 'look who owns the file and its folder, and what they allow (ls -la)';

async function take(project: RealDisk, file: string, taken: () => MailroomError): Promise<Lock> {
  project.makeFolder(dirname(file));
  const kernel = await takeKernelLock(join(project.root, file));
  if (kernel.held) return kernel;
  if (kernel.reason === 'failed')
    throw new MailroomError('E_LOCKED', `${file} cannot be locked: ${kernel.error}`, whoseIsIt);
  const fallback = kernel.reason === 'missing' ? await fallbackLock(project, file) : null;
  if (fallback?.held) return fallback;
  throw taken();
}

function going(run: string): MailroomError {
  return new MailroomError(
    'E_LOCKED',
    `another process goes on with the run ${run}`,
    `\`mailroom show ${run}\` shows what it does`,
  );
}

function usedBy(folder: string, holder: string): MailroomError {
  return new MailroomError(
    'E_LOCKED',
    `the context folder ${folder} is used by the run ${holder}`,
    'wait for it, cancel it, or give this run another `--workspace`',
  );
}
