import { systemCode } from '../kernel/contained.ts';
import { MailroomError } from '../kernel/errors.ts';
import { ownValue } from '../kernel/own.ts';
import type { Writing } from './writers.ts';

/** What is at a path. Links are never followed: a link is a `link`, wherever it leads. */
export type Kind = 'file' | 'folder' | 'link' | 'fifo' | 'socket' | 'device';

export interface FileStat {
  readonly kind: Kind;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since 1970, with fractions. */
  readonly mtimeMs: number;
  /** Whether its owner can execute it; false for everything but files. */
  readonly executable: boolean;
}

export interface WriteOptions {
  /**
   * Permission bits; default 0o666 minus the process mask. `kept`: those of the file that it
   * replaces, if there is one.
   */
  readonly mode?: number | 'kept';
  /** Makes the bytes and the name durable before returning. */
  readonly sync?: boolean;
}

/** A file opened for appending. Every method throws `E_DISK` when the system refuses. */
export interface Appender {
  /** Length in bytes, with everything written so far. */
  readonly size: number;
  /** Writes all bytes or throws; after a throw some of them may have been written. */
  write(bytes: Uint8Array): void;
  /** Makes the written bytes durable. */
  sync(): void;
  /**
   * Like `sync`, in another thread: resolves once the bytes written before this call are durable.
   * Rejects with `E_DISK`.
   */
  syncBeside(): Promise<void>;
  truncate(size: number): void;
  close(): void;
}

/**
 * The disk operations that Mailroom uses. Synchronous. Paths are relative to the project, with `/`
 * between names; the empty path is the project itself. Missing parent folders of a written file are
 * created. Only "does not exist" is an answer (null, false, `missing`); every other failure throws
 * `E_DISK`, so that "cannot read" never looks like "empty". A path that leaves the project, by its
 * names or through a link, throws `E_PATH`. Names that are not valid UTF-8 contain lone surrogates
 * (`\udc80` for byte 0x80), so that they can be used again.
 */
export interface Disk {
  /** The project's absolute path. */
  readonly root: string;
  /**
   * The names in a folder, unordered; at most `most` of them, which takes no longer however many
   * more there are. Null: no such folder.
   */
  list(folder: string, most?: number): string[] | null;
  look(path: string): FileStat | null;
  /** Whether a process has them open for writing, for each of these files. */
  writing(paths: readonly string[]): Writing[];
  /**
   * At most `maxBytes` bytes of a regular file, from byte `from`. Null: no such file. Never waits
   * for a fifo.
   */
  read(path: string, maxBytes: number, from?: number): Buffer | null;
  /** Like `read`, for a path without links: throws `E_PATH` when one has appeared on the way. */
  readItself(path: string, maxBytes: number, from?: number): Buffer | null;
  /** The path with all links resolved. Null: it does not exist. */
  resolve(path: string): string | null;
  /**
   * Writes a whole file beside its place and renames it: a reader sees the old file or the new one.
   */
  write(path: string, data: string | Uint8Array, options?: WriteOptions): void;
  /** Makes a symbolic link, where nothing is, to `target`: relative to the folder of the link. */
  link(path: string, target: string): void;
  /**
   * One rename, of any kind of file. With `replace: false` it leaves an existing target alone
   * (checked just before, which is enough for folders that only the controller fills).
   */
  rename(from: string, to: string, options?: { readonly replace?: boolean }): 'moved' | 'missing' | 'exists';
  /**
   * Removes a file of any kind, and folders with their content; links are removed, not followed.
   * False: it did not exist.
   */
  remove(path: string): boolean;
  makeFolder(path: string): void;
  /**
   * Creates the file if it is missing, with these permission bits; default 0o666 minus the process
   * mask.
   */
  openAppend(path: string, mode?: number): Appender;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): void;
}

/** Where whole files are written before they are renamed to their place; never watched. */
export const temporaryFolder = '.mailroom/tmp';

/** The suffix of a temporary file in a folder that is not Mailroom's alone. */
export const temporaryEnding = '.mailroom-tmp';

const notAPath = /(^|\/)\.{0,2}(\/|$)|\0/;

/** Throws `E_PATH` unless the path consists of names only. */
export function checkPath(path: string): void {
  if (path !== '' && notAPath.test(path)) throw pathError(path, 'it is not a plain path inside the project');
}

/** Joins a folder and one name. Throws `E_PATH` when the name is not a single name. */
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

/** Why a path that must not contain links is refused. */
export const linkOnTheWay = 'a link lies on the way';

const hints: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space, then run the same command again: nothing that was confirmed is lost',
  EDQUOT: 'free some space, then run the same command again: nothing that was confirmed is lost',
  EACCES: 'look who owns the folder and what it allows (ls -ld)',
  EPERM: 'look who owns the folder and what it allows (ls -ld)',
  EROFS: 'make it writable (mount -o remount,rw), or work in a copy of the project',
  EXDEV: 'agents/ and .mailroom/ must lie on the same file system',
  EMFILE: 'too many files are open: raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the disk reports errors: look at the system log',
};

/**
 * Whether the system refused a file or folder for its permissions, which is not a failure of the
 * disk.
 */
export function isDenied(error: unknown): boolean {
  return error instanceof MailroomError && systemCode(error.cause) === 'EACCES';
}

/** `E_DISK` with the path and the system's message. */
export function diskError(action: string, path: string, cause: unknown): MailroomError {
  const { code, message } = cause as { code?: string; message?: string };
  const words = /^[A-Z0-9]+: (.*?)(?:, \w+(?: |$)|$)/.exec(message ?? '')?.[1] ?? message ?? String(cause);
  const text = `cannot ${action} ${path === '' ? 'the project folder' : path}: ${words}`;
  return new MailroomError('E_DISK', text, ownValue(hints, code ?? '') ?? null, { cause });
}
