import { watch } from 'chokidar';
import { toolFolders } from './file-times.ts';

/**
 * Calls `onHint` soon after a change below these paths (absolute), and once watching has begun.
 * Hints are unreliable, as with `watchFolders`.
 */
export function watchTrees(paths: readonly string[], onHint: () => void): { close(): Promise<void> } {
  const watcher = watch([...paths], {
    ignoreInitial: true,
    persistent: false,
    ignored: (path) => path.split(/[/\\]/).some((name) => toolFolders.has(name)),
    followSymlinks: false,
  });
  watcher.on('all', onHint);
  watcher.once('ready', onHint);
  watcher.on('error', () => {});
  return { close: () => watcher.close().catch(() => {}) };
}
