import type { StepPath } from '../machine/event.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { runFolder } from '../../host/run-mail.ts';

/** One output of one process of a run. */
export interface StepLog {
  readonly path: StepPath;
  /** Its path from the folder of the steps: `build/1.1/stdout`, of iteration 1 and attempt 1. */
  readonly name: string;
  /** The content from a byte on, and the offset where it ends. */
  read(from: number): { readonly text: string; readonly end: number };
  /** At most so many bytes from an offset on; null: the file is gone. */
  part(from: number, most: number): Buffer | null;
  /** Its size in bytes, and when it was changed, in milliseconds since 1970; null: it is gone. */
  look(): { readonly size: number; readonly mtimeMs: number } | null;
}

/** The maximum number of bytes per read. */
const chunkBytes = 16 * 1024 * 1024;

/** Logs of all processes of a run, by step and by process, in the order of their attempts. */
export function stepLogs(disk: Disk, run: string): StepLog[] {
  const steps = join(runFolder(run), 'steps');
  return processFolders(disk, steps).flatMap(({ path, folder }) =>
    ['stdout', 'stderr'].flatMap((stream): StepLog[] => {
      const file = join(folder, stream);
      if (disk.look(file)?.kind !== 'file') return [];
      return [
        {
          path,
          name: file.slice(steps.length + 1),
          read: (from) => readFrom(disk, file, from),
          part: (from, most) => disk.read(file, most, from),
          look: () => disk.look(file),
        },
      ];
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

/**
 * A partial character at the end waits for the rest of it; invalid bytes become the replacement
 * character.
 */
function readFrom(disk: Disk, file: string, from: number): { text: string; end: number } {
  const bytes = disk.read(file, chunkBytes, from) ?? Buffer.alloc(0);
  const length = wholeLength(bytes);
  return { text: bytes.toString('utf8', 0, length), end: from + length };
}

/** The length without a partial character at the end. */
function wholeLength(bytes: Buffer): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back += 1) {
    const byte = bytes.readUInt8(length - back);
    if (byte >> 6 === 0b10) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? length - back : length;
  }
  return length;
}
