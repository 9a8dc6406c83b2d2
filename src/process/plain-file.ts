import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';

/** For files where a program may write: a link there leads nowhere that it may not go, and a fifo holds nobody up. */
export const cautiously = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file to be read; null: nothing is there. Throws for what is no file, a link too. */
export function openPlainFile(file: string): number | null {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
  const descriptor = openSync(file, constants.O_RDONLY | cautiously);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new Error(`${file} is no file`);
}

/** The whole of it; null: nothing is there. Throws as `openPlainFile`. */
export function readPlainFile(file: string): string | null {
  const descriptor = openPlainFile(file);
  if (descriptor === null) return null;
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
