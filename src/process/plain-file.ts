import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs';

/**
 * Flags for files in folders that a program can write: a link is not followed and a fifo does not
 * block.
 */
export const cautiously = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Larger than the index of a large repository, and small enough for memory. */
const mostBytes = 256 * 1024 * 1024;

/**
 * Opens a file for reading; null: it does not exist. Throws unless it is a regular file; a link is
 * not one.
 */
export function openPlainFile(file: string | Buffer): number | null {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
  const descriptor = openSync(file, constants.O_RDONLY | cautiously);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new Error(`${file.toString()} is not a file`);
}

/** The content of an open file. Throws above 256 MiB. */
export function contentOf(descriptor: number, file: string): Buffer {
  if (fstatSync(descriptor).size > mostBytes) throw new Error(`${file} is larger than 256 MiB`);
  return readFileSync(descriptor);
}

/**
 * The content of a file as text; null: it does not exist. Throws as `openPlainFile` and
 * `contentOf`.
 */
export function readPlainFile(file: string): string | null {
  const descriptor = openPlainFile(file);
  if (descriptor === null) return null;
  try {
    return contentOf(descriptor, file).toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Like `readPlainFile` for a user's own file, which may be a link. */
export function readOwnFile(file: string): string | null {
  return existsSync(file) ? readPlainFile(realpathSync(file)) : null;
}
