import { createHash } from 'node:crypto';
import { MailroomError } from '../kernel/errors.ts';
import type { TextStore } from './codec.ts';
import { join } from './disk.ts';
import type { Disk } from './disk.ts';

/**
 * Long strings, each in a file named by the SHA-256 of its bytes and durable before `put` returns.
 */
export class Blobs implements TextStore {
  readonly #disk: Disk;
  readonly #folder: string;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  /** Throws `E_DISK`. */
  put(text: string): string {
    const bytes = Buffer.from(text);
    const name = digest(bytes);
    const path = join(this.#folder, name);
    if (this.#disk.look(path)?.size === bytes.length) {
      // The file's writer may have died between renaming it and making the name durable.
      this.#disk.syncFolder(this.#folder);
    } else {
      this.#disk.write(path, bytes, { sync: true });
    }
    return name;
  }

  /** Throws `E_JOURNAL` when the file is missing or its content has changed. */
  get(name: string): string {
    const path = join(this.#folder, name);
    const bytes = this.#disk.read(path, Number.MAX_SAFE_INTEGER);
    if (bytes === null) throw damaged(`${path} is missing`);
    if (digest(bytes) !== name) throw damaged(`${path} was changed`);
    return bytes.toString('utf8');
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function damaged(text: string): MailroomError {
  return new MailroomError(
    'E_JOURNAL',
    `${text}: it has content that the journal refers to`,
    'restore .mailroom/ from a backup',
  );
}
