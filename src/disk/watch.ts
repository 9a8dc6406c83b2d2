import { type FSWatcher, statSync, watch } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface Watch {
  /** Resolves when watching has begun; earlier changes need a scan. */
  readonly ready: Promise<void>;
  /** Stops watching; no hint comes afterwards. */
  close(): Promise<void>;
}

/**
 * How often the watch checks whether a folder has appeared, gone or been replaced, in milliseconds.
 */
const againMs = 2_000;

/**
 * Calls `onHint` soon after a change in one of the folders (absolute paths, not recursive), once
 * for all changes of one turn of the event loop. Notices a new or replaced folder within two
 * seconds. `names`: of the entries that count. Does not keep the process alive. Hints are
 * unreliable: some changes are missed, some reported twice, so read the folders themselves. Never
 * throws; where watching fails there are no hints.
 */
export function watchFolders(folders: readonly string[], onHint: () => void, names: RegExp = isOurs): Watch {
  let hinted: NodeJS.Immediate | null = null;
  const hint = (): void => {
    hinted ??= setImmediate(() => {
      hinted = null;
      onHint();
    });
  };
  const watched = folders.map((folder) => new WatchedFolder(folder, names, hint));
  for (const folder of watched) folder.follow();
  const timer = setInterval(() => {
    // Changes before the watch began caused no hint.
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

/**
 * Resolves when something changed in one of the folders (absolute), at the latest after this many
 * milliseconds.
 */
export async function untilChanged(folders: readonly string[], milliseconds: number): Promise<void> {
  const over = new AbortController();
  const watched = watchFolders(folders, () => over.abort());
  await wait(milliseconds, undefined, { signal: over.signal }).catch(() => {});
  await watched.close();
}

/** One system watch for a folder, however many files it contains. */
class WatchedFolder {
  readonly #path: string;
  readonly #names: RegExp;
  readonly #hint: () => void;
  #watcher: FSWatcher | null = null;
  /** The identity of the folder when the watch began. */
  #identity: string | null = null;

  constructor(path: string, names: RegExp, hint: () => void) {
    this.#path = path;
    this.#names = names;
    this.#hint = hint;
  }

  /** Watches the folder that is now at the path. True: it is another folder than before. */
  follow(): boolean {
    const identity = identityOf(this.#path);
    if (identity === this.#identity) return false;
    this.close();
    if (identity === null) return false;
    try {
      // Not `persistent`: a watch must not keep the process alive.
      this.#watcher = watch(this.#path, { persistent: false }, (_event, name) => {
        if (name === null || this.#names.test(name)) this.#hint();
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

/** Messages, commands, journals and event logs, without the temporary files beside them. */
const isOurs = /^[^.].*\.(md|jsonl?|log)$/s;

/** Null: the folder does not exist or cannot be read. */
function identityOf(path: string): string | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? `${String(stats.dev)}:${String(stats.ino)}` : null;
  } catch {
    return null;
  }
}
