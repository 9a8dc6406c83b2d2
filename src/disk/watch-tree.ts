import { watch } from 'chokidar';

/** Folders that change constantly and never contain sources. */
const leftOut = /[/\\](?:\.git|\.mailroom|\.orchestrator|node_modules)(?:[/\\]|$)/;

/**
 * Calls `onHint` soon after a change below these paths (absolute), and once watching has begun.
 * Hints are unreliable, as with `watchFolders`.
 */
export function watchTrees(paths: readonly string[], onHint: () => void): { close(): Promise<void> } {
  const watcher = watch([...paths], {
    ignoreInitial: true,
    persistent: false,
    ignored: (path) => leftOut.test(path),
    followSymlinks: false,
  });
  watcher.on('all', onHint);
  watcher.once('ready', onHint);
  watcher.on('error', () => {});
  return { close: () => watcher.close().catch(() => {}) };
}
