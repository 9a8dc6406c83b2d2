import { setTimeout as delay } from 'node:timers/promises';
import type { Disk } from '../../disk/disk.ts';
import { openRoot } from '../../disk/roots.ts';
import { removeHolder } from '../../host/holder.ts';
import type { Lock } from '../../host/lock.ts';
import { openState } from '../../host/state-places.ts';
import { refuseTrackedState } from '../../host/tracked.ts';
import {
  contextBeside,
  contextFolderOf,
  readContextHolder,
  takeContext,
  whereItLies,
} from '../files/context-holder.ts';
import { runHolder } from '../files/layout.ts';
import { cancelAsked, cancelForNewer, type RunControlFile } from '../host/commands.ts';
import { outdated, type Place } from '../host/hosted-runs.ts';
import { noteHost, RunInTheWay, takeRun, type RunLock } from '../host/locks.ts';
import type { RunFolder } from '../machine/run-folder.ts';
import type { RunController } from '../../project/definition/contracts.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { endOfId } from '../../kernel/ids.ts';
import type { Origin } from './compose.ts';

/** How a run that another run keeps from starting waits, if it does. */
export interface Waiting extends Pick<Place, 'source'> {
  readonly waits: boolean;
  /** Who starts or continues it. A trigger does so only once. */
  readonly by: Origin['by'];
  /** Called before it waits, so that others find it. */
  readonly begins: () => void;
  /** Receives the reason when it begins to wait. */
  readonly report: (reason: string) => void;
  /** Ends the wait; null: nothing does. */
  readonly signal: AbortSignal | null;
}

/** Milliseconds between two attempts of a run that waits. */
const between = 1_000;

/**
 * Runs `act` with the run locked, and releases the lock on failure. The run may have got a context
 * folder of its own. `cancelled`: the command that ended its wait, so that it must start nothing.
 */
export async function locked(
  disk: Disk,
  wanted: RunFolder,
  wait: Waiting,
  act: (lock: RunLock, run: RunFolder, cancelled: RunControlFile | null) => Promise<RunController>,
): Promise<RunController> {
  const { lock, run, context, cancelled } = await lockWhenFree(disk, wanted, wait);
  return orReleased(lock, () => {
    if (run.context === undefined) takeContext(disk, openRoot, context, run.run, run.definition);
    return act(lock, run, cancelled);
  });
}

interface LockedRun {
  readonly lock: RunLock;
  readonly run: RunFolder;
  /** Its context folder, absolute. */
  readonly context: string;
}

/**
 * Locks a run, perhaps once another run has ended. One that is cancelled while it waits starts
 * nothing, and so needs no place, and not the folder that another run uses. Throws `E_LOCKED`.
 */
async function lockWhenFree(
  disk: Disk,
  wanted: RunFolder,
  wait: Waiting,
): Promise<LockedRun & { readonly cancelled: RunControlFile | null }> {
  const { waits, begins, report, signal } = wait;
  const given = new Set<string>();
  let run = wanted;
  let since: number | null = null;
  for (;;) {
    try {
      const cancelled = since === null ? null : cancelAsked(disk, run.run);
      if (cancelled !== null)
        return { ...(await lockRun(disk, whereItLies(disk, openRoot, run), null)), cancelled };
      return { ...(await lockRun(disk, run, { run, source: wait.source })), cancelled };
    } catch (error) {
      if (since !== null) removeHolder(disk, runHolder(run.run));
      if (!(error instanceof RunInTheWay)) throw error;
      const beside = besideContext(disk, run, error);
      if (beside !== null) {
        run = beside;
        continue;
      }
      if (!waits || signal?.aborted) throw error;
      const { older, by } = inTheWay(disk, { run, source: wait.source }, error);
      if (since === null) {
        if (by !== null && wait.by === 'person') throw newerGoes(run, by);
        begins();
        report(older.length === 0 ? error.message : `${error.message}: this one cancels it`);
      }
      since ??= Date.now();
      const cancels = older.some(({ card }) => card.run === error.run);
      noteHost(disk, run.run, { for: error.run, ...(cancels && { cancels }) }, since);
      if (by !== null) cancelForNewer(disk, { card: run, since }, by, since);
      for (const each of older.filter(({ card }) => !given.has(card.run))) {
        cancelForNewer(disk, each, run.run, Date.now());
        given.add(each.card.run);
      }
    }
    // Aborted: the next attempt says so.
    await delay(between, undefined, signal === null ? {} : { signal }).catch(() => {});
  }
}

/** As `outdated`, where the workflow says that a newer run cancels older ones. */
function inTheWay(disk: Disk, place: Place, { what }: RunInTheWay): ReturnType<typeof outdated> {
  const cancels = what === 'limit' && place.run.definition.runs?.otherwise === 'cancel_older';
  return cancels ? outdated(disk, place) : { older: [], by: null };
}

function newerGoes({ definition: { name } }: RunFolder, newer: string): MailroomError {
  const id = endOfId(newer);
  return new MailroomError(
    'E_LOCKED',
    `the newer run ${id} of \`${name}\` is in progress, and \`runs\` of the workflow keeps the newest`,
    `wait for it, cancel it (\`mailroom cancel ${id}\`), or start the workflow again`,
  );
}

/**
 * The run with a folder of its own in place of a context folder that another run uses; null: the
 * definition names the folder, or its artifacts are still in it.
 */
function besideContext(disk: Disk, run: RunFolder, { what }: RunInTheWay): RunFolder | null {
  const { definition } = run;
  if (what !== 'context' || !definition.contextYields || definition.contextAt !== undefined) return null;
  if (readContextHolder(disk, contextFolderOf(disk, openRoot, run))?.run === run.run) return null;
  return { ...run, definition: { ...definition, contextAt: contextBeside(disk, run.run) } };
}

/**
 * Locks a run, with everything cleared that is in the place of its files. Throws `E_LOCKED`, and
 * `E_TRACKED` when git tracks the state. `place` null: it starts nothing, and so does not count.
 */
export async function lockRun(disk: Disk, run: RunFolder, place: Place | null): Promise<LockedRun> {
  await refuseTrackedState(disk);
  const cleared = openState(disk);
  const context = contextFolderOf(disk, openRoot, run);
  const lock = await takeRun(disk, run.run, context, place);
  return { lock: { ...lock, refused: [...cleared, ...lock.refused] }, run, context };
}

/** Runs `act`, and releases the lock on failure. */
export async function orReleased<T>(lock: Lock, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await lock.release();
    throw error;
  }
}
