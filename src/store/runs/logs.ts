import type { Path } from '../../core/workflow/event.ts';
import { join } from '../disk.ts';
import type { Disk } from '../disk.ts';
import { runFolder } from './layout.ts';

/** What one process of a run printed, standard output or standard error. */
export interface StepLog {
  /** The step. */
  readonly path: Path;
  /** Path from the folder of the steps: `build/1.1/stdout`. */
  readonly name: string;
  /** What is there from a byte on, and where that ends. */
  read(from: number): { readonly text: string; readonly end: number };
}

/** At most so much at once. */
const chunkBytes = 16 * 1024 * 1024;

/** Logs of all processes of a run, by step and by process, in the order of their attempts. */
export function stepLogs(disk: Disk, run: string): StepLog[] {
  const steps = join(runFolder(run), 'steps');
  return processFolders(disk, steps).flatMap(({ path, folder }) =>
    ['stdout', 'stderr'].flatMap((stream): StepLog[] => {
      const file = join(folder, stream);
      if (disk.look(file)?.kind !== 'file') return [];
      return [{ path, name: file.slice(steps.length + 1), read: (from) => readFrom(disk, file, from) }];
    }),
  );
}

/** The folders that are named by iteration, attempt and check: `1.1`, `1.1.2`. */
function processFolders(disk: Disk, folder: string, path = ''): { path: Path; folder: string }[] {
  if (disk.look(folder)?.kind !== 'folder') return [];
  const names = (disk.list(folder) ?? []).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return names.flatMap((name) => {
    const inner = join(folder, name);
    if (/^\d+\.\d+(\.\d+)?$/.test(name)) return [{ path, folder: inner }];
    return processFolders(disk, inner, path === '' ? name : `${path}/${name}`);
  });
}

/** Half a character at the end waits for its other half. */
function readFrom(disk: Disk, file: string, from: number): { text: string; end: number } {
  const bytes = disk.read(file, chunkBytes, from) ?? Buffer.alloc(0);
  const text = new TextDecoder().decode(bytes, { stream: true });
  return { text, end: from + Buffer.byteLength(text) };
}
