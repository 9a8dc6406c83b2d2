import type { Read } from '../../../letters/letters.ts';
import { parentOf, type Disk } from '../../../disk/disk.ts';

const newline = 0x0a;

/**
 * A file of JSON objects, one per line. Several processes may append at the same time, each whole
 * lines.
 */
export class JsonLines<T extends object> {
  readonly #disk: Disk;
  readonly #file: string;
  readonly #readLine: (line: string) => Read<T>;

  constructor(disk: Disk, file: string, readLine: (line: string) => Read<T>) {
    this.#disk = disk;
    this.#file = file;
    this.#readLine = readLine;
  }

  /** In bytes; null: there is no such file. */
  get size(): number | null {
    return this.#disk.look(this.#file)?.size ?? null;
  }

  /**
   * All objects, in their order. An invalid line is left out, such as a partial one of a killed
   * process.
   */
  read(): T[] {
    const text = this.#disk.read(this.#file, this.size ?? 0)?.toString('utf8') ?? '';
    return text.split('\n').flatMap((line) => {
      const read = this.#readLine(line);
      return read.ok ? read.value : [];
    });
  }

  /** `sync`: they are durable before this returns. Throws `E_DISK`. */
  append(objects: readonly T[], { sync }: { readonly sync: boolean }): void {
    if (objects.length === 0) return;
    const isNew = this.size === null;
    const appender = this.#disk.openAppend(this.#file);
    try {
      // Never truncated: an apparently partial line may be one that another process is still
      // writing.
      const lines = objects.map((each) => `${JSON.stringify(each)}\n`);
      appender.write(Buffer.from([this.#isTorn(appender.size) ? '\n' : '', ...lines].join('')));
      if (sync) appender.sync();
    } finally {
      appender.close();
    }
    if (isNew && sync) this.#syncNames();
  }

  /** If a file's name is not synced, a power loss can lose its synced content too. */
  #syncNames(): void {
    for (let folder = parentOf(this.#file); ; folder = parentOf(folder)) {
      this.#disk.syncFolder(folder);
      if (folder === '') return;
    }
  }

  #isTorn(size: number): boolean {
    return size > 0 && this.#disk.read(this.#file, 1, size - 1)?.[0] !== newline;
  }
}
