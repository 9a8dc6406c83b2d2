import { watch } from 'chokidar';

export interface Watch {
  /** Resolves when changes are noticed from now on; what happened before needs a scan. */
  readonly ready: Promise<void>;
  /** Ends the watching; no hint comes afterwards. */
  close(): Promise<void>;
}

/**
 * Calls `onHint` soon after something changed in one of the folders (absolute paths; what lies deeper does not count),
 * once for all changes of one turn of the event loop. It keeps no program running. It is a hint and no more: some changes are never told, some twice,
 * so the folders themselves are the truth. Never throws; where watching fails there are no hints.
 */
export function watchFolders(folders: readonly string[], onHint: () => void): Watch {
  let hinted: NodeJS.Immediate | null = null;
  let closed = false;
  const hint = (): void => {
    if (closed || hinted !== null) return;
    hinted = setImmediate(() => {
      hinted = null;
      onHint();
    });
  };
  // Not `persistent`: what the library forgets to close, when it is ended while files come, must keep no program from ending.
  const options = { depth: 0, ignoreInitial: true, persistent: false, ignored, followSymlinks: false };
  const watcher = watch([...folders], options);
  watcher.on('all', hint);
  watcher.on('error', () => {});
  return {
    ready: new Promise((resolve) => watcher.once('ready', resolve)),
    close: async () => {
      closed = true;
      if (hinted !== null) clearImmediate(hinted);
      await watcher.close().catch(() => {});
    },
  };
}

/** One watch is held per file: none for what is no mail, no command and no journal. */
function ignored(path: string, stats?: { isFile(): boolean }): boolean {
  return stats?.isFile() === true && !/[/\\][^./\\][^/\\]*\.(md|json|log)$/.test(path);
}
