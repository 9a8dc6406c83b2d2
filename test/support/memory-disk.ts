import { MailroomError } from '../../src/kernel/errors.ts';
import { checkPath, linkOnTheWay, parentOf, pathError } from '../../src/disk/disk.ts';
import type { Appender, Disk, Kind, FileStat, WriteOptions } from '../../src/disk/disk.ts';
import type { Writing } from '../../src/disk/writers.ts';
import { bytesOf, cutTo, failure, MemoryTree } from './memory-tree.ts';
import type { FileNode, MemoryNode } from './memory-tree.ts';

/** What is about to be done to the disk. */
export interface Operation {
  readonly kind:
    'write' | 'rename' | 'remove' | 'folder' | 'open' | 'append' | 'sync' | 'truncate' | 'sync-folder';
  /** For a rename: where from. */
  readonly path: string;
  /** How many bytes are to be written; 0 for everything but `write` and `append`. */
  readonly bytes: number;
  /** For `write`: whether the file is made durable. */
  readonly sync: boolean;
  /** Counts from 1. */
  readonly number: number;
}

/**
 * The disk in memory, for tests: it passes the real one's contract suite, its clock belongs to the test, and it fails
 * when told to. Copies share what neither has changed.
 */
export class MemoryDisk implements Disk {
  readonly root: string;
  /** Milliseconds since 1970; where the times of files come from. */
  now: () => number;
  /**
   * Called before every operation that changes the disk. A `MailroomError` that it throws is that operation's failure;
   * anything else is a crash: from then on every operation throws it again, until `crash()`. A returned number makes a
   * write end after that many bytes with "no space left on device".
   */
  before: ((operation: Operation) => number | void) | null = null;
  /** Called before every look, list and read; may throw as `before` does. */
  beforeRead: ((path: string) => void) | null = null;
  /** Does what goes on beside the process; the test may let it take a while. */
  beside: (act: () => void) => void = (act) => act();
  /** Called once for every operation, reads too: on a slow disk it moves the clock. */
  delay: (() => void) | null = null;
  /** Who has files open for writing, by their paths; default: no process. */
  readonly written = new Map<string, Writing>();
  /** How many names listings have returned in all. */
  listed = 0;
  /** Bytes that can still be written before the disk is full. */
  free = Number.POSITIVE_INFINITY;
  #tree: MemoryTree;
  #operations = 0;
  #open = 0;
  /** Files with appended bytes that are not synced. */
  readonly #unsynced = new Set<string>();
  /** Appended files whose folder is not synced since they were made. */
  readonly #unnamed = new Set<string>();
  #halted: { readonly by: unknown } | null = null;
  /** Counts crashes: open files do not outlive one. */
  #life = 0;

  constructor(now: () => number = () => 0, root = '/project') {
    this.now = now;
    this.root = root;
    this.#tree = new MemoryTree(root);
  }

  /** How many operations have changed this disk or tried to. */
  get operations(): number {
    return this.#operations;
  }

  /** How many files are open for appending. */
  get openFiles(): number {
    return this.#open;
  }

  /** A disk with the same content; costs nothing until one of the two is changed. Hooks are not copied. */
  clone(): MemoryDisk {
    const copy = new MemoryDisk(this.now, this.root);
    copy.#tree = this.#tree.clone();
    copy.free = this.free;
    for (const path of this.#unsynced) copy.#unsynced.add(path);
    for (const path of this.#unnamed) copy.#unnamed.add(path);
    return copy;
  }

  /**
   * The process died: its open files are closed, the disk works again, and everything written is there, though what was
   * not synced is not safe for that. With `lose: 'unsynced'` the power went too:
   * appended bytes that were not synced are cut off where `random` (from 0 up to 1; default 0, all are lost) says, and
   * an appended file whose folder was not synced is gone when `random` gives less than one half.
   */
  crash(options: { readonly lose?: 'unsynced'; readonly random?: () => number } = {}): void {
    this.#halted = null;
    this.#life += 1;
    this.#open = 0;
    const random = options.random ?? (() => 0);
    if (options.lose === 'unsynced') {
      for (const path of this.#unsynced) {
        const file = this.#tree.file(path);
        if (file !== null) cutTo(file, file.synced + Math.floor(random() * (file.size - file.synced + 1)));
      }
      for (const path of this.#unnamed) if (random() < 0.5) this.#tree.delete(path);
      this.#unsynced.clear();
      this.#unnamed.clear();
    }
  }

  /** Puts something there as another program would: no hook is called. A link's `content` is where it leads. */
  plant(path: string, content: string | Uint8Array = '', kind: Kind = 'file'): void {
    checkPath(path);
    const place = this.#tree.beside(path);
    if (kind === 'folder') this.#tree.folder(place, this.now());
    else if (kind === 'file') this.#put(place, this.#tree.newFile(content, this.now()));
    else this.#put(place, { kind, target: content.toString(), mtimeMs: this.now() });
  }

  list(folder: string, most = Number.POSITIVE_INFINITY): string[] | null {
    this.#reading(folder);
    const node = this.#tree.find(this.#tree.straight(folder));
    if (node !== null && node.kind !== 'folder') throw failure('list', folder, 'ENOTDIR');
    if (node === null) return null;
    const names: string[] = [];
    for (const name of node.children.keys()) {
      if (names.length >= most) break;
      names.push(name);
    }
    this.listed += names.length;
    return names;
  }

  look(path: string): FileStat | null {
    this.#reading(path);
    const node = this.#tree.find(this.#tree.beside(path));
    if (node === null) return null;
    const { kind, mtimeMs } = node;
    if (node.kind !== 'file') return { kind, size: 0, mtimeMs, executable: false };
    return { kind, size: node.size, mtimeMs, executable: node.executable };
  }

  writing(paths: readonly string[]): Writing[] {
    return paths.map((path) => this.written.get(path) ?? 'none');
  }

  read(path: string, maxBytes: number, from = 0): Buffer | null {
    this.#reading(path);
    const node = this.#tree.find(this.#tree.beside(path));
    if (node !== null && node.kind !== 'file')
      throw failure('read', path, `it is a ${node.kind}, not a file`);
    return node === null ? null : Buffer.from(bytesOf(node).subarray(from, from + maxBytes));
  }

  readItself(path: string, maxBytes: number, from = 0): Buffer | null {
    const real = this.resolve(path);
    if (real !== null && real !== path) throw pathError(path, linkOnTheWay);
    return this.read(path, maxBytes, from);
  }

  resolve(path: string): string | null {
    this.#reading(path);
    const straight = this.#tree.straight(path);
    return this.#tree.find(straight) === null ? null : straight;
  }

  write(path: string, data: string | Uint8Array, options: WriteOptions = {}): void {
    const size = Buffer.byteLength(data);
    const room = this.#changing('write', path, size, options.sync === true);
    if (room < size) throw failure('write', path, 'ENOSPC');
    const place = this.#tree.beside(path);
    const before = this.#tree.find(place);
    if (before?.kind === 'folder') throw failure('write', path, 'EISDIR');
    this.free -= size;
    const kept = before?.kind === 'file' && before.executable ? 0o777 : undefined;
    this.#put(place, this.#tree.newFile(data, this.now(), options.mode === 'kept' ? kept : options.mode));
    this.#forget(place);
  }

  link(path: string, target: string): void {
    this.#changing('write', path);
    const place = this.#tree.beside(path);
    if (this.#tree.find(place) !== null) throw failure('link', path, 'EEXIST');
    this.#put(place, { kind: 'link', target, mtimeMs: this.now() });
  }

  rename(
    from: string,
    to: string,
    options: { readonly replace?: boolean } = {},
  ): 'moved' | 'missing' | 'exists' {
    checkPath(to);
    this.#changing('rename', from);
    const [source, target] = [this.#tree.beside(from), this.#tree.beside(to)];
    const [node, existing] = [this.#tree.find(source), this.#tree.find(target)];
    if (options.replace === false && existing !== null) return 'exists';
    if (node === null) return 'missing';
    if (source === target) return 'moved';
    checkReplacing(`move ${from} to`, to, node, existing);
    this.#forget(target);
    moveAll(this.#unsynced, source, target);
    moveAll(this.#unnamed, source, target);
    this.#tree.delete(source);
    this.#tree.folder(parentOf(source)).mtimeMs = this.now();
    this.#put(target, node);
    return 'moved';
  }

  remove(path: string): boolean {
    this.#changing('remove', path);
    const place = this.#tree.beside(path);
    if (this.#tree.find(place) === null) return false;
    this.#tree.delete(place);
    this.#tree.folder(parentOf(place)).mtimeMs = this.now();
    this.#forget(place);
    return true;
  }

  makeFolder(path: string): void {
    this.#changing('folder', path);
    this.#tree.folder(this.#tree.straight(path), this.now());
  }

  openAppend(path: string, mode?: number): Appender {
    this.#changing('open', path);
    const place = this.#tree.beside(path);
    const node = this.#tree.find(place);
    if (node !== null && node.kind !== 'file')
      throw failure('open', path, `it is a ${node.kind}, not a file`);
    if (node === null) {
      this.#put(place, this.#tree.newFile('', this.now(), mode));
      this.#unnamed.add(place);
    }
    return this.#appender(place);
  }

  syncFolder(path: string): void {
    this.#changing('sync-folder', path);
    const folder = this.#tree.straight(path);
    if (this.#tree.find(folder)?.kind !== 'folder') throw failure('sync the folder', path, 'ENOENT');
    for (const file of this.#unnamed) if (parentOf(file) === folder) this.#unnamed.delete(file);
  }

  #appender(path: string): Appender {
    const life = this.#life;
    let open = true;
    this.#open += 1;
    const file = (): FileNode => {
      const node = life === this.#life && open ? this.#tree.file(path) : null;
      if (node === null) throw failure('use', path, 'EBADF');
      return node;
    };
    return {
      get size() {
        return file().size;
      },
      write: (bytes) => {
        const room = this.#changing('append', path, bytes.length);
        const node = file();
        node.chunks.push(Buffer.from(bytes.subarray(0, room)));
        node.size += room;
        node.mtimeMs = this.now();
        this.free -= room;
        this.#unsynced.add(path);
        if (room < bytes.length) throw failure('append to', path, 'ENOSPC');
      },
      sync: () => {
        this.#changing('sync', path);
        const node = file();
        node.synced = node.size;
        this.#unsynced.delete(path);
      },
      syncBeside: () => {
        const size = file().size;
        return new Promise((resolve, reject) => {
          this.beside(() => {
            // What a process began comes to nothing when it dies.
            if (life !== this.#life) return;
            try {
              this.#changing('sync', path);
              const node = file();
              node.synced = Math.max(node.synced, size);
              if (node.synced === node.size) this.#unsynced.delete(path);
              resolve();
            } catch (error) {
              reject(error);
            }
          });
        });
      },
      truncate: (size) => {
        this.#changing('truncate', path);
        cutTo(file(), size);
      },
      close: () => {
        if (life === this.#life && open) this.#open -= 1;
        open = false;
      },
    };
  }

  #reading(path: string): void {
    this.#start(path);
    this.#hooked(() => this.beforeRead?.(path));
  }

  /** Counts the operation and lets the test spoil it. Returns how many of the bytes there is room for. */
  #changing(kind: Operation['kind'], path: string, bytes = 0, sync = false): number {
    this.#start(path);
    this.#operations += 1;
    const operation = { kind, path, bytes, sync, number: this.#operations };
    const room = this.#hooked(() => this.before?.(operation)) ?? bytes;
    return Math.max(0, Math.min(bytes, room, this.free));
  }

  #start(path: string): void {
    if (this.#halted !== null) throw this.#halted.by;
    checkPath(path);
    this.delay?.();
  }

  #hooked<T>(hook: () => T): T {
    try {
      return hook();
    } catch (error) {
      if (!(error instanceof MailroomError)) this.#halted = { by: error };
      throw error;
    }
  }

  #put(place: string, node: MemoryNode): void {
    this.#tree.put(place, node);
    this.#tree.folder(parentOf(place)).mtimeMs = this.now();
  }

  #forget(place: string): void {
    this.#unsynced.delete(place);
    this.#unnamed.delete(place);
  }
}

/** A folder takes along what lies in it. */
function moveAll(paths: Set<string>, from: string, to: string): void {
  for (const path of paths) {
    if (path !== from && !path.startsWith(`${from}/`)) continue;
    paths.delete(path);
    paths.add(`${to}${path.slice(from.length)}`);
  }
}

/** What rename(2) refuses. */
function checkReplacing(action: string, to: string, node: MemoryNode, existing: MemoryNode | null): void {
  if (existing === null) return;
  if (existing.kind !== 'folder') {
    if (node.kind === 'folder') throw failure(action, to, 'ENOTDIR');
    return;
  }
  if (node.kind !== 'folder') throw failure(action, to, 'EISDIR');
  if (existing.children.size > 0) throw failure(action, to, 'ENOTEMPTY');
}
