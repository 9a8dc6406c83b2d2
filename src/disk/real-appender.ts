import { closeSync, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { promisify } from 'node:util';
import { attempt } from './disk-attempts.ts';
import { diskError } from './disk.ts';
import type { Appender, Kind } from './disk.ts';

const fdatasyncBeside = promisify(fdatasync);

/** An open file of the real disk. Throws if it is not a regular file, and closes it. */
export class RealAppender implements Appender {
  readonly #path: string;
  readonly #file: number;
  #size: number;
  /** The number of syncs in progress. */
  #syncs = 0;
  #closes = false;

  constructor(path: string, file: number) {
    const stats = fstatSync(file);
    if (!stats.isFile()) {
      closeSync(file);
      throw new Error(`it is a ${kindOf(stats)}, not a file`);
    }
    this.#path = path;
    this.#file = file;
    this.#size = stats.size;
  }

  get size(): number {
    return this.#size;
  }

  write(bytes: Uint8Array): void {
    attempt('append to', this.#path, () => writeBytes(this.#file, bytes));
    this.#size += bytes.length;
  }

  sync(): void {
    attempt('sync', this.#path, () => fdatasyncSync(this.#file));
  }

  async syncBeside(): Promise<void> {
    this.#syncs += 1;
    try {
      await fdatasyncBeside(this.#file);
    } catch (error) {
      throw diskError('sync', this.#path, error);
    } finally {
      this.#syncs -= 1;
      if (this.#closes && this.#syncs === 0) this.#close();
    }
  }

  truncate(size: number): void {
    attempt('cut', this.#path, () => ftruncateSync(this.#file, size));
    this.#size = size;
  }

  /** The system gives the number of a closed file to the next one, which a sync must not meet. */
  close(): void {
    this.#closes = true;
    if (this.#syncs === 0) this.#close();
  }

  #close(): void {
    attempt('close', this.#path, () => closeSync(this.#file));
  }
}

/** Writes all of it: after a short write another call follows, which then throws the reason. */
export function writeBytes(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

export function kindOf(stats: Stats): Kind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isFIFO()) return 'fifo';
  return stats.isSocket() ? 'socket' : 'device';
}

/** At most `length` bytes of an open file, from byte `from`. */
export function readBytes(file: number, length: number, from: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, from + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
