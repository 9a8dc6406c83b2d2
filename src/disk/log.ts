import type { Disk } from './disk.ts';

/** One output of one process, which may still grow. Offsets and sizes are in bytes. */
export interface Log {
  /** The content from a byte on, and the offset where it ends. */
  read(from: number): { readonly text: string; readonly end: number };
  /** At most so many bytes from an offset on; null: the file is gone. */
  part(from: number, most: number): Buffer | null;
  /** Its size, and when it was changed, in milliseconds since 1970; null: it is gone. */
  look(): { readonly size: number; readonly mtimeMs: number } | null;
}

/** The maximum number of bytes per read. */
const chunkBytes = 16 * 1024 * 1024;

export function logAt(disk: Disk, file: string): Log {
  return {
    read: (from) => readFrom(disk, file, from),
    part: (from, most) => disk.read(file, most, from),
    look: () => disk.look(file),
  };
}

/** The offset at which the last lines begin; a line without its end counts. */
export function startOfLast(log: Pick<Log, 'part' | 'look'>, lines: number, step = 64 * 1024): number {
  const size = log.look()?.size ?? 0;
  let left = lines;
  for (let end = size; end > 0; end -= step) {
    const from = Math.max(0, end - step);
    const bytes = log.part(from, end - from) ?? Buffer.alloc(0);
    for (let at = bytes.length - 1; at >= 0; at -= 1) {
      // The end of the last line begins no further line.
      const isEnd = bytes[at] === lineFeed && from + at < size - 1;
      if (left === 0 || (isEnd && (left -= 1) === 0)) return from + at + 1;
    }
  }
  return 0;
}

const lineFeed = 0x0a;

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
