import type { Disk } from '../../disk/disk.ts';
import { Control } from '../../host/control.ts';

/** The files of a project, for reading. Paths are relative to it. */
export class Files {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  exists(path: string): boolean {
    return this.#disk.look(path) !== null;
  }

  read(path: string): string | null {
    return this.part(path, 0, 4 * 1024 * 1024)?.toString('utf8') ?? null;
  }

  /** At most so many bytes of a file from an offset on; null: it does not exist. */
  part(path: string, from: number, most: number): Buffer | null {
    return this.#disk.read(path, most, from);
  }

  /** Its size in bytes, and when it was changed, in milliseconds since 1970; null: no such file. */
  look(path: string): { readonly size: number; readonly mtimeMs: number } | null {
    const found = this.#disk.look(path);
    return found?.kind === 'file' ? found : null;
  }

  /** The texts of the commands in a control folder that no host has read, the oldest first. */
  commands(folder: string): string[] {
    return new Control(this.#disk, folder).list().flatMap(({ text }) => text ?? []);
  }

  /** The names in a folder; none if it does not exist. */
  list(folder: string): readonly string[] {
    return this.#disk.list(folder) ?? [];
  }
}
