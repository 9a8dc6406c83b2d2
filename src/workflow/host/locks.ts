import { join } from 'node:path';
import process from 'node:process';
import { MailroomError } from '../../kernel/errors.ts';
import { endOfId } from '../../kernel/ids.ts';
import { isKernelLocked } from '../../host/flock.ts';
import { readProcess } from '../../process/proc.ts';
import { holderFile, removeHolder, writeHolder, type HolderNote } from '../../host/holder.ts';
import type { Disk } from '../../disk/disk.ts';
import {
  contextHolderFile,
  contextLockFile,
  placeFiles,
  readContextHolder,
} from '../files/context-holder.ts';
import { runFolders, runHolder, runLockFile } from '../files/layout.ts';
import { otherHolder } from '../../host/holding.ts';
import { areLocksHidden, take, tryLock, type HostLock, type Lock } from '../../host/lock.ts';
import { clearPlaces } from '../../host/state-places.ts';
import { runInPlace, type HostedRun, type Place } from './hosted-runs.ts';

/** The locks of a run. */
export interface RunLock extends HostLock {
  /** The locked files, relative to the project. */
  readonly files: readonly string[];
}

/** `E_LOCKED` for as long as another run is in progress. */
export class RunInTheWay extends MailroomError {
  /** The limit of runs that it keeps, or the context folder that it uses. */
  readonly what: 'limit' | 'context';
  /** Null: unknown. */
  readonly run: string | null;

  constructor(what: 'limit' | 'context', run: string | null, text: string, hint: string) {
    super('E_LOCKED', text, hint);
    this.what = what;
    this.run = run;
  }
}

/**
 * Locks a run and its context folder (absolute) for the life of this process, and clears the places
 * of its state. Throws `E_LOCKED` when another process hosts the run, `RunInTheWay` when another
 * run uses the folder, or when the workflow allows no more runs at once. `place` null: this run
 * does not count.
 */
export async function takeRun(
  project: Disk,
  run: string,
  contextFolder: string,
  place: Place | null = null,
): Promise<RunLock> {
  const held: Lock[] = [];
  const files: string[] = [];
  const hold = (file: string, lock: Lock) => {
    files.push(file);
    held.push(lock);
  };
  const release = async (): Promise<void> => {
    await Promise.all(held.map((lock) => lock.release()));
  };
  try {
    hold(runLockFile(run), await take(project, runLockFile(run), runHolder(run), () => going(run)));
    if (place?.run.definition.runs !== undefined) {
      const free = await freePlace(project, placeFiles(place.run, place.source));
      if (free === null) throw noPlace(project, place);
      hold(free.file, free.lock);
    }
    const before = readContextHolder(project, contextFolder)?.run ?? null;
    const other = before === run ? null : before;
    const context = contextLockFile(contextFolder);
    hold(
      context,
      await take(project, context, other && runHolder(other), () => usedBy(contextFolder, other)),
    );
    const refused = [
      ...clearPlaces(project, 'folder', runFolders(run)),
      ...clearPlaces(project, 'file', [holderFile(runHolder(run)), contextHolderFile(contextFolder)]),
    ];
    noteHost(project, run, null, Date.now());
    return {
      files,
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

/** Notes that this process hosts a run, or (`waits`) lets it wait. `since`: ms since 1970. */
export function noteHost(project: Disk, run: string, waits: HostedRun['waits'], since: number): void {
  writeHolder(project, { ...hostNote(since), waits }, runHolder(run));
}

/** The note of the process that hosts a run. */
export function hostNote(since: number): HolderNote {
  return { since, triggers: false, startTime: readProcess(process.pid)?.startTime ?? null };
}

/** Locks the first free one of these files; null: there is none. */
async function freePlace(
  project: Disk,
  files: readonly string[],
): Promise<{ readonly file: string; readonly lock: Lock } | null> {
  for (const file of files) {
    // Taking a taken lock waits; of several places another one may be free.
    if (files.length > 1 && (await isKernelLocked(join(project.root, file))) === true) continue;
    const lock = await tryLock(project, file);
    if (lock !== null) return { file, lock };
  }
  return null;
}

/** Whether a process hosts the run, by its lock. */
export async function isAlive(project: Disk, run: string): Promise<boolean> {
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

function going(run: string): MailroomError {
  return new MailroomError(
    'E_LOCKED',
    `another process works on the run ${run}`,
    `\`mailroom show ${run}\` shows what it does`,
  );
}

function usedBy(folder: string, run: string | null): RunInTheWay {
  return new RunInTheWay(
    'context',
    run,
    `the context folder ${folder} is used by ${run === null ? 'another run' : `the run ${run}`}`,
    'wait for it, cancel it, or give this run another folder: `--workspace DIR`, or `context_dir` of its workflow',
  );
}

function noPlace(project: Disk, place: Place): RunInTheWay {
  const { runs, name } = place.run.definition;
  const other = runInPlace(project, place);
  const most = runs?.most ?? 1;
  const which = other === null ? 'another run' : `the run ${endOfId(other)}`;
  return new RunInTheWay(
    'limit',
    other,
    `${which} of \`${name}\` is in progress, and \`runs\` of the workflow allows ${String(most)} at once`,
    `wait for it${other === null ? '' : `, cancel it (\`mailroom cancel ${endOfId(other)}\`)`}, or change \`runs\`: \`at_once\` allows more, \`otherwise: wait\` lets further runs wait, \`cancel_older\` cancels the oldest`,
  );
}
