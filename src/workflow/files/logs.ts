import type { StepPath } from '../machine/event.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { logAt, type Log } from '../../disk/log.ts';
import { runFolder } from '../../host/run-mail.ts';

/** One output of one process of a run. */
export interface StepLog extends Log {
  readonly path: StepPath;
  /** Its path from the folder of the steps: `build/1.1/stdout`, of iteration 1 and attempt 1. */
  readonly name: string;
}

/** Logs of all processes of a run, by step and by process, in the order of their attempts. */
export function stepLogs(disk: Disk, run: string): StepLog[] {
  const steps = join(runFolder(run), 'steps');
  return processFolders(disk, steps).flatMap(({ path, folder }) =>
    ['stdout', 'stderr'].flatMap((stream): StepLog[] => {
      const file = join(folder, stream);
      if (disk.look(file)?.kind !== 'file') return [];
      return [{ ...logAt(disk, file), path, name: file.slice(steps.length + 1) }];
    }),
  );
}

/** The folders named by iteration, attempt and check: `1.1`, `1.1.2`. */
function processFolders(disk: Disk, folder: string, path = ''): { path: StepPath; folder: string }[] {
  if (disk.look(folder)?.kind !== 'folder') return [];
  const names = (disk.list(folder) ?? []).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return names.flatMap((name) => {
    const inner = join(folder, name);
    if (/^\d+\.\d+(\.\d+)?$/.test(name)) return [{ path, folder: inner }];
    return processFolders(disk, inner, path === '' ? name : `${path}/${name}`);
  });
}
