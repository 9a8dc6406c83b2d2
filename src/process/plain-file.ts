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

/** For files where a program may write: a link there leads nowhere that it may not go, and a fifo holds nobody up. */
export const cautiously = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** More than the index of a large repository, and no more than memory has room for. */
const mostBytes = 256 * 1024 * 1024;

/** Opens a file to be read; null: nothing is there. Throws for what is no file, a link too. */
export function openPlainFile(file: string): number | null {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
  const descriptor = openSync(file, constants.O_RDONLY | cautiously);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new Error(`${file} is not a file`);
}

/** What an open file holds. Throws above 256 MiB. */
export function contentOf(descriptor: number, file: string): Buffer {
  if (fstatSync(descriptor).size > mostBytes) throw new Error(`${file} is larger than 256 MiB`);
  return readFileSync(descriptor);
}

/** The whole text of a file; null: nothing is there. Throws as `openPlainFile` and `contentOf`. */
export function readPlainFile(file: string): string | null {
  const descriptor = openPlainFile(file);
  if (descriptor === null) return null;
  try {
    return contentOf(descriptor, file).toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** The same of a file of the person's own, which may be a link. */
export function readOwnFile(file: string): string | null {
  return existsSync(file) ? readPlainFile(realpathSync(file)) : null;
}
