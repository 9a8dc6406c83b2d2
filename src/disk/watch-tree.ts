import { watch } from 'chokidar';

/** Folders that change all the time and are nobody's source. */
const leftOut = /[/\\](?:\.git|\.mailroom|\.orchestrator|node_modules)(?:[/\\]|$)/;

/**
 * Calls `onHint` soon after something changed below these paths (absolute), and when changes are noticed from now on. A hint
 * and no more, as `watchFolders`.
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
