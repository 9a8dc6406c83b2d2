import { checkPath, parentOf, pathError } from '../../../src/disk/disk.ts';
import type { Appender, Disk, FileStat, WriteOptions } from '../../../src/disk/disk.ts';
import type { Writing } from '../../../src/disk/writers.ts';

/** A folder of a disk as a root of its own: what `new RealDisk(folder)` is on the real disk, for disks in memory. */
export class FolderDisk implements Disk {
  readonly root: string;
  readonly #disk: Disk;
  readonly #folder: string;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
    this.root = `${disk.root}/${folder}`;
  }

  list(folder: string, most?: number): string[] | null {
    return this.#disk.list(this.#inside(folder, true), most);
  }

  look(path: string): FileStat | null {
    return this.#disk.look(this.#inside(path));
  }

  writing(paths: readonly string[]): Writing[] {
    return this.#disk.writing(paths.map((path) => this.#inside(path)));
  }

  read(path: string, maxBytes: number, from?: number): Buffer | null {
    return this.#disk.read(this.#inside(path), maxBytes, from);
  }

  readItself(path: string, maxBytes: number, from?: number): Buffer | null {
    return this.#disk.readItself(this.#inside(path), maxBytes, from);
  }

  link(path: string, target: string): void {
    this.#disk.link(this.#inside(path), target);
  }

  resolve(path: string): string | null {
    const real = this.#disk.resolve(this.#inside(path));
    return real === null ? null : this.#relative(path, real);
  }

  write(path: string, data: string | Uint8Array, options?: WriteOptions): void {
    this.#disk.write(this.#inside(path), data, options);
  }

  rename(from: string, to: string, options?: { readonly replace?: boolean }): 'moved' | 'missing' | 'exists' {
    return this.#disk.rename(this.#inside(from), this.#inside(to), options);
  }

  remove(path: string): boolean {
    return this.#disk.remove(this.#inside(path));
  }

  makeFolder(path: string): void {
    this.#disk.makeFolder(this.#inside(path, true));
  }

  openAppend(path: string, mode?: number): Appender {
    return this.#disk.openAppend(this.#inside(path), mode);
  }

  syncFolder(path: string): void {
    this.#disk.syncFolder(this.#inside(path, true));
  }

  /** The path on the disk below. Throws `E_PATH` when a link on the way, or `atEnd`, leads out of the folder. */
  #inside(path: string, atEnd = false): string {
    checkPath(path);
    const whole = path === '' ? this.#folder : `${this.#folder}/${path}`;
    for (let way = atEnd ? whole : parentOf(whole); way.length > this.#folder.length; way = parentOf(way)) {
      const real = this.#disk.resolve(way);
      if (real !== null) this.#relative(path, real);
      if (real !== null) break;
    }
    return whole;
  }

  #relative(path: string, real: string): string {
    if (real === this.#folder) return '';
    if (real.startsWith(`${this.#folder}/`)) return real.slice(this.#folder.length + 1);
    throw pathError(path, 'a link on the way leads out of the project');
  }
}
