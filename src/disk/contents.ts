import { isUtf8 } from 'node:buffer';
import { bytesInWords } from '../kernel/bytes.ts';
import { isContained } from '../kernel/contained.ts';
import { placeIn } from '../kernel/json-walk.ts';
import { isDenied } from './disk.ts';
import type { Disk, FileStat, Kind } from './disk.ts';
import type { Content } from '../kernel/content.ts';

/** The largest message, in bytes. */
export const messageBytes = 4 * 1024 * 1024;

/** What is at a path, in words. */
export const kindWords: Readonly<Record<Kind, string>> = {
  file: 'a file',
  folder: 'a folder',
  link: 'a link',
  fifo: 'a fifo (named pipe)',
  socket: 'a socket',
  device: 'a device',
};

/** The content of another writer's file. `gone`: the file does not exist. */
export type Found = Content | 'gone';

/**
 * Reads a string that another process or a person wrote. Opens only a regular file within the
 * limit; otherwise the problem says what it is, or why its bytes are not text. Throws `E_DISK` when
 * the system cannot say. `look`: what a look at it has just shown.
 */
export function readContent(
  disk: Disk,
  path: string,
  limit = messageBytes,
  look: FileStat | null = disk.look(path),
): Found {
  if (look === null) return 'gone';
  if (look.kind !== 'file') return problem(`it is ${kindWords[look.kind]}, not a file`);
  if (look.size > limit) return problem(tooLarge(look.size, limit));
  const bytes = readAllowed(disk, path, limit + 1);
  if (bytes === null) return 'gone';
  return bytes === 'denied' ? problem('permission denied') : textIn(bytes, limit);
}

/** Why a file cannot be read, in a sentence; null: it can, or is gone. Reads one byte. */
export function refusalToRead(disk: Disk, path: string): string | null {
  return refusal(() => {
    const look = disk.look(path);
    if (look !== null && look.kind !== 'file')
      return `cannot read ${path}: it is ${kindWords[look.kind]}, not a file`;
    disk.read(path, 1);
    return null;
  });
}

/** Why a folder cannot be listed, in a sentence; null: it can, or is gone. */
export function refusalToList(disk: Disk, path: string): string | null {
  return refusal(() => {
    disk.list(path, 1);
    return null;
  });
}

function refusal(act: () => string | null): string | null {
  try {
    return act();
  } catch (error) {
    if (!isContained(error)) throw error;
    return error.message;
  }
}

/** The text of some bytes; or why they are not text of at most `limit` bytes. */
export function textIn(bytes: Buffer, limit = messageBytes): Content {
  if (bytes.length > limit) return problem(tooLarge(bytes.length, limit));
  const why = notText(bytes);
  return why === null ? { ok: true, text: bytes.toString('utf8') } : problem(why);
}

/** With the place of the first byte that is not text in UTF-8; null: all are. */
function notText(bytes: Buffer): string | null {
  const nul = bytes.indexOf(0);
  if (nul === -1 && isUtf8(bytes)) return null;
  if (['feff', 'fffe'].includes(bytes.toString('hex', 0, 2)))
    return 'it is text in UTF-16, and must be in UTF-8';
  if (nul !== -1) return `it is binary: it holds NUL bytes (${placeAt(bytes, nul)})`;
  const read = Buffer.from(bytes.toString('utf8'));
  const at = bytes.findIndex((byte, index) => byte !== read[index]);
  return `it is not text in UTF-8 (${placeAt(bytes, at)}: byte 0x${bytes.toString('hex', at, at + 1)})`;
}

function placeAt(bytes: Buffer, at: number): string {
  return placeIn(bytes.toString('utf8', 0, at), at);
}

function readAllowed(disk: Disk, path: string, limit: number): Buffer | null | 'denied' {
  try {
    return disk.read(path, limit);
  } catch (error) {
    if (isDenied(error)) return 'denied';
    throw error;
  }
}

export function problem(text: string): Content {
  return { ok: false, problem: text };
}

function tooLarge(size: number, limit: number): string {
  return `it has ${bytesInWords(size)}, the limit is ${bytesInWords(limit)}`;
}
