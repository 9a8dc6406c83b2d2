import { MailroomError } from '../kernel/errors.ts';

/** What lies at a path. Links are never followed: a link is a `link`, wherever it leads. */
export type Kind = 'file' | 'folder' | 'link' | 'fifo' | 'socket' | 'device';

export interface Look {
  readonly kind: Kind;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since 1970, with fractions. */
  readonly mtimeMs: number;
  /** Whether its owner may execute it; false for all but files. */
  readonly executable: boolean;
}

export interface WriteOptions {
  /** Permission bits; default 0o666 less the process's mask. */
  readonly mode?: number;
  /** Makes the bytes and the name durable before returning. */
  readonly sync?: boolean;
}

/** A file that is open for appending. Every method throws `E_DISK` when the system refuses. */
export interface Appender {
  /** Length in bytes, with everything written so far. */
  readonly size: number;
  /** Writes all bytes or throws; after a throw part of them may be there. */
  write(bytes: Uint8Array): void;
  /** Makes what was written durable. */
  sync(): void;
  truncate(size: number): void;
  close(): void;
}

/**
 * The few things that Mailroom asks of a disk. Synchronous. Paths are relative to the project, with `/` between names;
 * the empty path is the project itself. Missing folders on the way to a file are made.
 *
 * Only "it is not there" is an answer (null, false, `missing`); every other failure throws `E_DISK`, so that "cannot read"
 * never looks like "empty". A path that leaves the project, by its words or through a link, throws `E_PATH`.
 *
 * Names that are no valid UTF-8 are carried as lone surrogates (`\udc80` for byte 0x80), so that they can be used again.
 */
export interface Disk {
  /** The project's absolute path. */
  readonly root: string;
  /** The names in a folder, in no order. Null: no such folder. */
  list(folder: string): string[] | null;
  look(path: string): Look | null;
  /** At most `maxBytes` bytes of a regular file, from byte `from`. Null: no such file. Never waits for a fifo. */
  read(path: string, maxBytes: number, from?: number): Buffer | null;
  /** As `read`, of a path without links: throws `E_PATH` when one lies on the way by now. */
  readItself(path: string, maxBytes: number, from?: number): Buffer | null;
  /** The path without links on the way or at its end. Null: nothing is there. */
  resolve(path: string): string | null;
  /** Puts a whole file there by writing beside and renaming: a reader sees the old file or the new one. */
  write(path: string, data: string | Uint8Array, options?: WriteOptions): void;
  /**
   * One rename of whatever lies there. With `replace: false` it leaves an existing target alone (looked at just before:
   * good enough for folders that only the controller fills).
   */
  rename(from: string, to: string, options?: { readonly replace?: boolean }): 'moved' | 'missing' | 'exists';
  /** Removes whatever lies there, folders with their content; links are removed, not followed. False: nothing there. */
  remove(path: string): boolean;
  makeFolder(path: string): void;
  /** Makes the file if need be, with these permission bits; default 0o666 less the process's mask. */
  openAppend(path: string, mode?: number): Appender;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): void;
}

/** Where whole files are written before they are renamed to their place; no watched folder. */
export const temporaryFolder = '.mailroom/tmp';

/** How the name of a file ends that is to be renamed to its place in a folder that is not all ours. */
export const temporaryEnding = '.mailroom-tmp';

const notAPath = /(^|\/)\.{0,2}(\/|$)|\0/;

/** Throws `E_PATH` unless the path is made of names only. */
export function checkPath(path: string): void {
  if (path !== '' && notAPath.test(path)) throw pathError(path, 'it is not a plain path inside the project');
}

/** Joins a folder and one name. Throws `E_PATH` when the name is not one name. */
export function join(folder: string, name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) {
    throw pathError(name, 'it is not a file name');
  }
  return folder === '' ? name : `${folder}/${name}`;
}

/** The folder that a path lies in. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at < 0 ? '' : path.slice(0, at);
}

export function pathError(path: string, why: string): MailroomError {
  return new MailroomError('E_PATH', `refused the path ${JSON.stringify(path)}: ${why}`);
}

/** Why a path that should be itself is refused. */
export const linkOnTheWay = 'a link lies on the way';

const hints: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space, then start again: nothing that was confirmed is lost',
  EDQUOT: 'free some space, then start again: nothing that was confirmed is lost',
  EACCES: 'look who owns the folder and what it allows (ls -ld)',
  EPERM: 'look who owns the folder and what it allows (ls -ld)',
  EROFS: 'the file system is read-only',
  EXDEV: 'agents/ and .mailroom/ must lie on the same file system',
  EMFILE: 'too many files are open: raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the disk reports errors: look at the system log',
};

/** Whether the system refused a file or folder for its mode: that is what it is, and no failure of the disk. */
export function isDenied(error: unknown): boolean {
  return error instanceof MailroomError && (error.cause as { code?: string } | undefined)?.code === 'EACCES';
}

/** `E_DISK` with the path and the system's own words. */
export function diskError(action: string, path: string, cause: unknown): MailroomError {
  const { code, message } = cause as { code?: string; message?: string };
  const words = /^[A-Z0-9]+: (.*?)(?:, \w+(?: |$)|$)/.exec(message ?? '')?.[1] ?? message ?? String(cause);
  const text = `cannot ${action} ${path === '' ? 'the project folder' : path}: ${words}`;
  return new MailroomError('E_DISK', text, hints[code ?? ''] ?? null, { cause });
}
