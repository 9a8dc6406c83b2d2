import { join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import { watchFolders } from '../disk/watch.ts';
import type { RealDisk } from '../disk/real-disk.ts';
import type { Trail } from '../git/trail.ts';
import type { Lock } from './lock.ts';
import { Loop, type Host } from './loop.ts';

interface HostParts {
  /** Input folders, relative to the project. */
  readonly watched: readonly string[];
  readonly trail: Trail;
  /** Why nothing can be recorded any more; null: it can. */
  readonly gone: () => MailroomError | null;
  readonly lock: Lock;
  /** Why the host ends when it loses its lock. */
  readonly lockLost: string;
  readonly untilIdle: boolean;
  /** Called after every look. */
  readonly onChange: () => void;
}

/**
 * Runs a host in this process, on its files, clock and watchers. It begins with `loop.run()`, and
 * ends when its lock is lost. `report`: wraps reports of processes.
 */
export function hostProcess(
  { root }: RealDisk,
  host: Host,
  { watched, trail, gone, lock, lockLost, untilIdle, onChange }: HostParts,
): { readonly loop: Loop; readonly report: (act: () => void) => void } {
  const folders = watched.map((folder) => join(root, folder));
  const watch = (onHint: () => void) => watchFolders(folders, onHint);
  const loop = new Loop(host, { watch, timer, now: Date.now, trail, gone }, { untilIdle, onChange });
  void lock.lost.then(() => loop.fail(new MailroomError('E_LOCKED', lockLost)));
  return { loop, report: reportsTo(loop) };
}

/** Calls back at a time, in milliseconds since 1970. */
function timer(at: number, onTime: () => void): { cancel(): void } {
  const timeout = setTimeout(onTime, Math.max(0, at - Date.now()));
  return { cancel: () => clearTimeout(timeout) };
}

/**
 * Wraps reports of processes: `act` passes one to the host, and the loop looks again. A failing
 * journal ends the loop. Reports within one turn of the event loop share one look, and one sync.
 */
export function reportsTo(loop: Loop): (act: () => void) => void {
  let due = false;
  return (act) => {
    try {
      act();
    } catch (error) {
      loop.fail(error);
    }
    if (due) return;
    due = true;
    setImmediate(() => {
      due = false;
      loop.wake();
    });
  };
}
