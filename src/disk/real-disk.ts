import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { attempt, isMissing, isOurs, unlessMissing } from './disk-attempts.ts';
import {
  checkPath,
  diskError,
  linkOnTheWay,
  parentOf,
  pathError,
  temporaryEnding,
  temporaryFolder,
} from './disk.ts';
import type { Appender, Disk, Look, WriteOptions } from './disk.ts';
import { nameFromBytes, pathForSystem } from './file-names.ts';
import { kindOf, RealAppender, writeBytes } from './real-appender.ts';
import { removeTree } from './remove-tree.ts';

/** The files below a project's root, or another root, on the real disk. */
export class RealDisk implements Disk {
  readonly root: string;
  readonly #prefix: string;
  readonly #temporaries: string | null;
  /** Together they make the name of each temporary file unique. */
  readonly #own = randomBytes(8).toString('hex');
  #count = 0;

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

  list(folder: string): string[] | null {
    this.#checkFolder(folder);
    const path = this.#system(folder);
    const names = unlessMissing('list', this.#shown(folder), null, () => readdirSync(path));
    if (names === null || !names.some((name) => name.includes('\ufffd'))) return names;
    return attempt('list', this.#shown(folder), () =>
      readdirSync(path, { encoding: 'buffer' }).map(nameFromBytes),
    );
  }

  look(path: string): Look | null {
    const stats = this.#stats(path);
    if (stats === null) return null;
    const kind = kindOf(stats);
    const executable = kind === 'file' && (stats.mode & constants.S_IXUSR) !== 0;
    return { kind, size: stats.size, mtimeMs: stats.mtimeMs, executable };
  }

  read(path: string, maxBytes: number, from = 0): Buffer | null {
    return this.#read(path, { maxBytes, from, itself: false });
  }

  readItself(path: string, maxBytes: number, from = 0): Buffer | null {
    return this.#read(path, { maxBytes, from, itself: true });
  }

  #read(path: string, { maxBytes, from, itself }: Reading): Buffer | null {
    this.#check(path);
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return unlessMissing('read', this.#shown(path), null, () => {
      const file = openSync(this.#system(path), flags);
      try {
        const stats = fstatSync(file);
        if (!stats.isFile()) throw new Error(`it is a ${kindOf(stats)}, not a file`);
        if (itself && !this.#isAt(path, stats)) throw pathError(path, linkOnTheWay);
        return readBytes(file, Math.max(0, Math.min(maxBytes, stats.size - from)), from);
      } finally {
        closeSync(file);
      }
    });
  }

  /**
   * Whether the open file is at this path, and no link leads to it: checked after opening, to
   * detect a concurrent rename.
   */
  #isAt(path: string, { dev, ino }: Stats): boolean {
    const real = nameFromBytes(realpathSync.native(this.#system(path), 'buffer'));
    const there = lstatSync(this.#system(path), noThrow);
    return real === this.#prefix + path && there?.dev === dev && there.ino === ino;
  }

  resolve(path: string): string | null {
    this.#check(path);
    const real = unlessMissing('follow', this.#shown(path), null, () =>
      nameFromBytes(realpathSync.native(this.#system(path), 'buffer')),
    );
    return real === null ? null : this.#relative(path, real);
  }

  write(path: string, data: string | Uint8Array, options: WriteOptions = {}): void {
    this.#check(path);
    const temporary = this.#writeBeside(path, data, options);
    try {
      this.#makingParent(path, () => renameSync(this.#system(temporary), this.#system(path)));
    } catch (error) {
      rmSync(this.#system(temporary), { force: true });
      throw isOurs(error) ? error : diskError('write', this.#shown(path), error);
    }
    if (options.sync === true) this.syncFolder(parentOf(path));
  }

  rename(
    from: string,
    to: string,
    options: { readonly replace?: boolean } = {},
  ): 'moved' | 'missing' | 'exists' {
    this.#check(from);
    this.#check(to);
    if (options.replace === false && this.#stats(to) !== null) return 'exists';
    return attempt(`move ${this.#shown(from)} to`, this.#shown(to), () => {
      try {
        renameSync(this.#system(from), this.#system(to));
        return 'moved';
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      // The system does not say which of the two is missing.
      if (this.#stats(from) === null) return 'missing';
      this.makeFolder(parentOf(to));
      renameSync(this.#system(from), this.#system(to));
      return 'moved';
    });
  }

  remove(path: string): boolean {
    const stats = this.#stats(path);
    if (stats === null) return false;
    const system = this.#system(path);
    // Anything but a folder needs one call only, without listing its content.
    if (!stats.isDirectory())
      return unlessMissing('remove', this.#shown(path), false, () => (unlinkSync(system), true));
    attempt('remove', this.#shown(path), () => removeTree(system, () => this.#freshPlace(path)));
    return true;
  }

  #freshPlace(path: string): string | Buffer {
    const place = this.#temporaryFor(path);
    this.makeFolder(parentOf(place));
    return this.#system(place);
  }

  makeFolder(path: string): void {
    this.#checkFolder(path);
    attempt('make the folder', this.#shown(path), () => {
      try {
        mkdirSync(this.#system(path), { recursive: true });
      } catch (error) {
        // Node reports a missing folder for a read-only file system, too; the system itself
        // distinguishes them.
        if (isMissing(error)) mkdirSync(this.#system(path));
        throw error;
      }
    });
  }

  openAppend(path: string, mode = 0o666): Appender {
    this.#check(path);
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    return attempt('open', this.#shown(path), () =>
      this.#makingParent(
        path,
        () => new RealAppender(this.#shown(path), openSync(this.#system(path), flags, mode)),
      ),
    );
  }

  syncFolder(path: string): void {
    this.#checkFolder(path);
    attempt('sync the folder', this.#shown(path), () => {
      const folder = openSync(this.#system(path), constants.O_RDONLY | constants.O_DIRECTORY);
      try {
        fsyncSync(folder);
      } finally {
        closeSync(folder);
      }
    });
  }

  #writeBeside(path: string, data: string | Uint8Array, options: WriteOptions): string {
    const temporary = this.#temporaryFor(path);
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    attempt('write', this.#shown(path), () => {
      const file = this.#makingParent(temporary, () =>
        openSync(this.#system(temporary), 'wx', options.mode ?? 0o666),
      );
      try {
        writeBytes(file, bytes);
        if (options.sync === true) fsyncSync(file);
      } catch (error) {
        rmSync(this.#system(temporary), { force: true });
        throw error;
      } finally {
        closeSync(file);
      }
    });
    return temporary;
  }

  #temporaryFor(path: string): string {
    this.#count += 1;
    const name = `${process.pid}-${this.#own}-${this.#count}`;
    if (this.#temporaries === null) {
      const folder = parentOf(path);
      return `${folder === '' ? '' : `${folder}/`}.${name}${temporaryEnding}`;
    }
    this.#inside(this.#temporaries);
    return `${this.#temporaries}/${name}`;
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
    this.#check(path);
    return unlessMissing(
      'look at',
      this.#shown(path),
      null,
      () => lstatSync(this.#system(path), noThrow) ?? null,
    );
  }

  /** Refuses a path that leaves the project by its names, or by a link on the way. */
  #check(path: string): void {
    checkPath(path);
    if (path !== '') this.#inside(parentOf(path));
  }

  /** Like `#check` for a folder itself, and so for everything in it. */
  #checkFolder(path: string): void {
    checkPath(path);
    this.#inside(path);
  }

  #inside(folder: string): void {
    if (folder === '') return;
    // A missing path is common, and an error with its stack is expensive. A dangling link exists.
    const look = (): Stats | undefined => lstatSync(this.#system(folder), noThrow);
    if (attempt('look at', this.#shown(folder), look) === undefined) return this.#inside(parentOf(folder));
    let real: string;
    try {
      real = realpathSync.native(this.#system(folder));
    } catch (error) {
      // A path that leads out is refused even if it does not exist.
      this.#inside(parentOf(folder));
      if (isMissing(error)) return;
      throw diskError('look at', this.#shown(folder), error);
    }
    this.#relative(folder, real);
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
    if (this.#temporaries !== null) return path;
    return path === '' ? this.root : this.#prefix + path;
  }

  #system(path: string): string | Buffer {
    return pathForSystem(path === '' ? this.root : this.#prefix + path);
  }
}

interface Reading {
  readonly maxBytes: number;
  readonly from: number;
  /** Whether links on the way are refused. */
  readonly itself: boolean;
}

/** A missing path is a common answer, so it must not cost an error with its stack. */
const noThrow = { throwIfNoEntry: false } as const;

/** True when an absolute path exists and, where asked, is a folder. Follows links. */
export function existsOnDisk(path: string, kind: 'any' | 'folder' = 'any'): boolean {
  const stats = unlessMissing('look at', path, null, () => statSync(path));
  return stats !== null && (kind === 'any' || stats.isDirectory());
}

function readBytes(file: number, length: number, from: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, from + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
