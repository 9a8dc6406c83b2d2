import { type FSWatcher, statSync, watch } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface Watch {
  /** Resolves when changes are noticed from now on; what happened before needs a scan. */
  readonly ready: Promise<void>;
  /** Ends the watching; no hint comes afterwards. */
  close(): Promise<void>;
}

/** How often it is looked whether a folder has come, gone or been replaced, in milliseconds. */
const againMs = 2_000;

/**
 * Calls `onHint` soon after something changed in one of the folders (absolute paths; what lies deeper does not count),
 * once for all changes of one turn of the event loop. A folder that comes later, or in the place of another, is noticed
 * within two seconds. It keeps no program running. It is a hint and no more: some changes are never told, some twice,
 * so the folders themselves are the truth. Never throws; where watching fails there are no hints.
 */
export function watchFolders(folders: readonly string[], onHint: () => void): Watch {
  let hinted: NodeJS.Immediate | null = null;
  const hint = (): void => {
    hinted ??= setImmediate(() => {
      hinted = null;
      onHint();
    });
  };
  const watched = folders.map((folder) => new WatchedFolder(folder, hint));
  for (const folder of watched) folder.follow();
  const timer = setInterval(() => {
    // What came before it was watched has told nobody.
    if (watched.filter((folder) => folder.follow()).length > 0) hint();
  }, againMs);
  timer.unref();
  return {
    ready: Promise.resolve(),
    close: () => {
      clearInterval(timer);
      if (hinted !== null) clearImmediate(hinted);
      for (const folder of watched) folder.close();
      return Promise.resolve();
    },
  };
}

/** Resolves when something changed in one of the folders (absolute), at the latest after so many milliseconds. */
export async function untilChanged(folders: readonly string[], milliseconds: number): Promise<void> {
  const over = new AbortController();
  const watched = watchFolders(folders, () => over.abort());
  await wait(milliseconds, undefined, { signal: over.signal }).catch(() => {});
  await watched.close();
}

/** One watch of the system's for a folder, however many files lie in it. */
class WatchedFolder {
  readonly #path: string;
  readonly #hint: () => void;
  #watcher: FSWatcher | null = null;
  /** Which folder lay there when the watch began. */
  #identity: string | null = null;

  constructor(path: string, hint: () => void) {
    this.#path = path;
    this.#hint = hint;
  }

  /** Watches what lies there now. True: that is another folder than before. */
  follow(): boolean {
    const identity = identityOf(this.#path);
    if (identity === this.#identity) return false;
    this.close();
    if (identity === null) return false;
    try {
      // Not `persistent`: what watches must keep no program from ending.
      this.#watcher = watch(this.#path, { persistent: false }, (_event, name) => {
        if (name === null || isOurs.test(name)) this.#hint();
      });
      this.#watcher.on('error', () => this.close());
    } catch {
      return false;
    }
    this.#identity = identity;
    return true;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = null;
    this.#identity = null;
  }
}

/** Messages, commands, journals and event logs; what is written beside them before it is renamed is none of them. */
const isOurs = /^[^.].*\.(md|jsonl?|log)$/s;

/** Null: no folder is there, or none that can be looked at. */
function identityOf(path: string): string | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? `${String(stats.dev)}:${String(stats.ino)}` : null;
  } catch {
    return null;
  }
}
