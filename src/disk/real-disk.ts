import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  type Dirent,
  type Stats,
  chmodSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { systemCode } from '../kernel/contained.ts';
import { attempt, isMissing, unlessMissing } from './disk-attempts.ts';
import {
  checkPath,
  linkOnTheWay,
  parentOf,
  pathError,
  temporaryEnding,
  temporaryFolder,
  type Appender,
  type Disk,
  type FileStat,
  type WriteOptions,
} from './disk.ts';
import { nameFromBytes, pathForSystem } from './file-names.ts';
import { closeFolders, openFolder, type OpenFolder } from './open-folders.ts';
import { kindOf, readBytes, RealAppender, writeBytes } from './real-appender.ts';
import { Writers, type Writing } from './writers.ts';

/** The files below a project's root, or another root, on the real disk. */
export class RealDisk implements Disk {
  readonly root: string;
  readonly #prefix: string;
  readonly #temporaries: string | null;
  /** Together they make the name of each temporary file unique. */
  #own: string | null = null;
  #count = 0;
  readonly #writers = new Writers();

  /**
   * `temporaries`: the folder in which whole files are written before they are renamed; null:
   * beside their place, for a root that Mailroom does not own. Throws `E_DISK` when the root does
   * not exist.
   */
  constructor(root: string, temporaries: string | null = temporaryFolder) {
    this.#temporaries = temporaries;
    this.root = attempt('open the project', root, () => realpathSync.native(root));
    this.#prefix = this.root === '/' ? '/' : `${this.root}/`;
  }

  list(folder: string, most = Infinity): string[] | null {
    const path = this.#folder(folder)?.at;
    if (path === undefined) return null;
    const names = unlessMissing('list', this.#shown(folder), null, () =>
      most === Infinity ? readdirSync(path) : firstNames<string>(path, most, 'utf8'),
    );
    // Names as bytes take three times as long, and only these names need them.
    if (names === null || !names.some((name) => name.includes('\ufffd'))) return names;
    return attempt('list', this.#shown(folder), () =>
      most === Infinity
        ? readdirSync(path, { encoding: 'buffer' }).map(nameFromBytes)
        : firstNames<Buffer>(path, most, 'buffer').map(nameFromBytes),
    );
  }

  look(path: string): FileStat | null {
    const stats = this.#stats(path);
    if (stats === null) return null;
    const kind = kindOf(stats);
    const executable = kind === 'file' && (stats.mode & constants.S_IXUSR) !== 0;
    return { kind, size: stats.size, mtimeMs: stats.mtimeMs, executable };
  }

  writing(paths: readonly string[]): Writing[] {
    return this.#writers.of(paths.map((path) => this.#find(path) ?? this.#absolute(path)));
  }

  read(path: string, maxBytes: number, from = 0): Buffer | null {
    const place = this.#find(path);
    if (place === null) return null;
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return unlessMissing('read', this.#shown(path), null, () => {
      const file = openSync(place, flags);
      try {
        const stats = fstatSync(file);
        if (!stats.isFile()) throw new Error(`it is a ${kindOf(stats)}, not a file`);
        return readBytes(file, Math.max(0, Math.min(maxBytes, stats.size - from)), from);
      } finally {
        closeSync(file);
      }
    });
  }

  readItself(path: string, maxBytes: number, from = 0): Buffer | null {
    const folder = parentOf(path);
    const opened = this.#folder(folder);
    if (opened !== null && this.#relative(path, opened.real) !== folder) throw pathError(path, linkOnTheWay);
    return this.read(path, maxBytes, from);
  }

  resolve(path: string): string | null {
    if (this.#find(path) === null) return null;
    const real = unlessMissing('follow', this.#shown(path), null, () =>
      nameFromBytes(realpathSync.native(pathForSystem(this.#absolute(path)), 'buffer')),
    );
    return real === null ? null : this.#relative(path, real);
  }

  write(path: string, data: string | Uint8Array, options: WriteOptions = {}): void {
    this.#find(path);
    const temporary = this.#temporaryFor(path);
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const kept = options.mode === 'kept' ? this.#stats(path) : null;
    const mode = options.mode === 'kept' ? undefined : options.mode;
    attempt('write', this.#shown(path), () => {
      const file = this.#makingParent(temporary, () => openSync(this.#place(temporary), 'wx', mode ?? 0o666));
      try {
        writeWhole(file, bytes, options.sync === true, kept);
        this.#makingParent(path, () => renameSync(this.#place(temporary), this.#place(path)));
      } catch (error) {
        this.remove(temporary);
        throw error;
      }
    });
    if (options.sync === true) this.syncFolder(parentOf(path));
  }

  link(path: string, target: string): void {
    attempt('link', this.#shown(path), () =>
      this.#makingParent(path, () => symlinkSync(target, this.#place(path))),
    );
  }

  rename(
    from: string,
    to: string,
    options: { readonly replace?: boolean } = {},
  ): 'moved' | 'missing' | 'exists' {
    const stats = this.#stats(from);
    this.#find(to);
    if (options.replace === false && this.#stats(to) !== null) return 'exists';
    if (stats === null) return 'missing';
    return attempt(`move ${this.#shown(from)} to`, this.#shown(to), () => {
      try {
        this.#makingParent(to, () => renameSync(this.#place(from), this.#place(to)));
        return 'moved';
      } catch (error) {
        // The system does not say which of the two is missing.
        if (isMissing(error) && this.#stats(from) === null) return 'missing';
        throw error;
      } finally {
        if (!stats.isFile()) closeFolders();
      }
    });
  }

  remove(path: string): boolean {
    const stats = this.#stats(path);
    if (stats === null) return false;
    try {
      return unlessMissing('remove', this.#shown(path), false, () => {
        // Anything but a folder needs one call only, without listing its content.
        if (stats.isDirectory()) removeTree(this.#place(path), () => this.#freshPlace(path));
        else unlinkSync(this.#place(path));
        return true;
      });
    } finally {
      if (!stats.isFile()) closeFolders();
    }
  }

  #freshPlace(path: string): string | Buffer {
    const place = this.#temporaryFor(path);
    this.makeFolder(parentOf(place));
    return this.#place(place);
  }

  makeFolder(path: string): void {
    // Most folders exist, and an error with its stack is expensive.
    if (this.#isFolder(path)) return;
    attempt('make the folder', this.#shown(path), () => {
      if (this.#find(path) === null) this.makeFolder(parentOf(path));
      try {
        mkdirSync(this.#place(path));
      } catch (error) {
        // Another process may have made it.
        if (systemCode(error) !== 'EEXIST' || !this.#isFolder(path)) throw error;
      }
    });
  }

  /** True for a link to a folder, too. */
  #isFolder(path: string): boolean {
    const stats = this.#stats(path);
    if (stats?.isSymbolicLink() !== true) return stats?.isDirectory() === true;
    const opened = this.#folder(path);
    return opened !== null && statSync(opened.at).isDirectory();
  }

  openAppend(path: string, mode = 0o666): Appender {
    this.#find(path);
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    return attempt('open', this.#shown(path), () =>
      this.#makingParent(
        path,
        () => new RealAppender(this.#shown(path), openSync(this.#place(path), flags, mode)),
      ),
    );
  }

  syncFolder(path: string): void {
    const opened = this.#folder(path);
    attempt('sync the folder', this.#shown(path), () => {
      const place = opened?.at ?? this.#place(path);
      const folder = openSync(place, constants.O_RDONLY | constants.O_DIRECTORY);
      try {
        fsyncSync(folder);
      } finally {
        closeSync(folder);
      }
    });
  }

  #temporaryFor(path: string): string {
    this.#own ??= randomBytes(8).toString('hex');
    this.#count += 1;
    const name = `${process.pid}-${this.#own}-${this.#count}`;
    if (this.#temporaries !== null) return `${this.#temporaries}/${name}`;
    const folder = parentOf(path);
    return `${folder === '' ? '' : `${folder}/`}.${name}${temporaryEnding}`;
  }

  #makingParent<T>(path: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    this.makeFolder(parentOf(path));
    return work();
  }

  #stats(path: string): Stats | null {
    const place = this.#find(path);
    if (place === null) return null;
    return attempt('look at', this.#shown(path), () => lstatSync(place, noThrow) ?? null);
  }

  /** As `#find`. Throws the system's error where the folder does not exist. */
  #place(path: string): string | Buffer {
    const place = this.#find(path);
    if (place !== null) return place;
    throw Object.assign(new Error('no such file or directory'), { code: 'ENOENT' });
  }

  /**
   * A path for the system, in the very folder that was examined; null: the folder does not exist.
   * Refuses a path that leaves the project by its names, or by a link on the way.
   */
  #find(path: string): string | Buffer | null {
    checkPath(path);
    if (path === '') return this.root;
    const folder = this.#inside(parentOf(path));
    return folder === null ? null : pathForSystem(`${folder.at}/${path.slice(path.lastIndexOf('/') + 1)}`);
  }

  /** Like `#find` for a folder itself, and so for everything in it. */
  #folder(path: string): OpenFolder | null {
    checkPath(path);
    return this.#inside(path);
  }

  #inside(folder: string): OpenFolder | null {
    // The slash of the root folder of the system would be doubled before a name.
    if (folder === '') return { at: this.root === '/' ? '/.' : this.root, real: this.root };
    const opened = attempt('look at', this.#shown(folder), () => openFolder(this.#absolute(folder)));
    // A path that leads out is refused even if it does not exist.
    if (opened === null) this.#inside(parentOf(folder));
    else this.#relative(folder, opened.real);
    return opened;
  }

  #relative(path: string, real: string): string {
    if (real === this.root) return '';
    if (real.startsWith(this.#prefix)) return real.slice(this.#prefix.length);
    const out = this.#temporaries === null ? this.root : 'the project';
    throw pathError(path, `a link on the way leads out of ${out}`);
  }

  /**
   * The path in errors: absolute below a root other than the project, as a relative one would be
   * ambiguous.
   */
  #shown(path: string): string {
    return this.#temporaries === null ? this.#absolute(path) : path;
  }

  #absolute(path: string): string {
    return path === '' ? this.root : this.#prefix + path;
  }
}

/** A missing path is a common answer, so it must not cost an error with its stack. */
const noThrow = { throwIfNoEntry: false } as const;

/** True when an absolute path exists and, where asked, is a folder. Follows links. */
export function existsOnDisk(path: string, kind: 'any' | 'folder' = 'any'): boolean {
  const stats = unlessMissing('look at', path, null, () => statSync(path));
  return stats !== null && (kind === 'any' || stats.isDirectory());
}

/** `kept`: whose permissions the file gets; null: it keeps its own. */
function writeWhole(file: number, bytes: Uint8Array, sync: boolean, kept: Stats | null): void {
  try {
    if (kept !== null) fchmodSync(file, kept.mode & 0o7777);
    writeBytes(file, bytes);
    if (sync) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function firstNames<Name extends string | Buffer>(path: string, most: number, encoding: string): Name[] {
  const folder = opendirSync(path, { encoding: encoding as BufferEncoding, bufferSize: 256 });
  const names: Name[] = [];
  try {
    while (names.length < most) {
      const entry = folder.readSync() as Dirent<Name> | null;
      if (entry === null) break;
      names.push(entry.name);
    }
  } finally {
    folder.closeSync();
  }
  return names;
}

type SystemPath = string | Buffer;

/**
 * The errors after which a tree is removed piece by piece: its paths are too long, or its modes
 * forbid listing or removing.
 */
const inTheWay = ['ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOTEMPTY'];

/**
 * Removes a folder of any depth and with any modes. Links are removed, not followed. `fresh`
 * returns unused paths on the same file system. Throws the system's error; then a part of it may be
 * removed.
 */
function removeTree(folder: SystemPath, fresh: () => SystemPath): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!inTheWay.includes(systemCode(error) ?? '')) throw error;
    removePieces(folder, fresh);
  }
}

/** Moves each subfolder to a fresh path first, so that no path grows. */
function removePieces(folder: SystemPath, fresh: () => SystemPath): void {
  const left = [folder];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    chmodSync(at, 0o700);
    for (const entry of readdirSync(at, { withFileTypes: true, encoding: 'buffer' })) {
      const path = Buffer.concat([Buffer.from(at), Buffer.from('/'), entry.name]);
      if (!entry.isDirectory()) {
        unlinkSync(path);
        continue;
      }
      // The system refuses to move a folder that its owner cannot write.
      chmodSync(path, 0o700);
      const moved = fresh();
      renameSync(path, moved);
      left.push(moved);
    }
    rmdirSync(at);
  }
}
