import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import { makeTemporary, removeTemporary } from '../temporaries.ts';
import type { Readable } from 'node:stream';

const BATCH = 16;
/** A descriptor that only names a file and neither reads nor writes; node:fs has no constant for it. */
const O_PATH = 0o10000000;
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** A pipe that nobody writes to: a descriptor that names it, and one that reads. */
interface FreePipe {
  readonly name: number;
  readonly reader: number;
}

const free: FreePipe[] = [];
let works = process.platform === 'linux';

/** All pipes are read one after the other, and what is read is used up at once. */
const chunk = Buffer.allocUnsafeSlow(65_536);

/**
 * A pipe of the kernel's for the output of a program; null where there is none to be had. Node's own are sockets, with which
 * `echo > /dev/stderr` and the like fail.
 */
export function openOutputPipe(): OutputPipe | null {
  if (free.length === 0 && works) makePipes();
  const pipe = free.pop();
  if (pipe === undefined) return null;
  try {
    return new OutputPipe(pipe, openSync(pathOf(pipe.name), constants.O_WRONLY));
  } catch (error) {
    free.push(pipe);
    throw error;
  }
}

/** One use of a pipe, to its end. */
export class OutputPipe {
  /** For the program; close it once the program has its copy. */
  readonly write: number;
  readonly #pipe: FreePipe;
  #isOurs = true;

  constructor(pipe: FreePipe, write: number) {
    this.#pipe = pipe;
    this.write = write;
  }

  /**
   * Hands over what lies in it, without waiting, and at most a megabyte; a chunk is only lent. True: that was its end,
   * nobody has it open any more and it goes back. False: something is left, or somebody could still write into it.
   */
  drain(take: (chunk: Buffer) => void): boolean {
    for (let round = 0; round < 16; round += 1) {
      const count = readNow(this.#pipe.reader);
      if (count === null) return false;
      if (count > 0) take(chunk.subarray(0, count));
      else {
        this.#isOurs = false;
        free.push(this.#pipe);
        return true;
      }
    }
    return false;
  }

  /** From now on it is a stream, which closes it. */
  flow(): Readable {
    const { name, reader } = this.#pipe;
    this.#isOurs = false;
    const read = new Socket({ fd: reader, readable: true, writable: false });
    // After its end nobody has it open, and it is as new. Otherwise somebody could still write into it.
    read.once('close', () => {
      if (read.readableEnded) putBack(name);
      else closeSync(name);
    });
    return read;
  }

  /** Gives it up, whoever has it open. */
  discard(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    closeSync(this.#pipe.reader);
    closeSync(this.#pipe.name);
  }
}

/** How many bytes it had; 0 at its end, null when it is empty and open. */
function readNow(reader: number): number | null {
  try {
    return readSync(reader, chunk, 0, chunk.length, null);
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return null;
    throw error;
  }
}

function putBack(name: number): void {
  try {
    free.push({ name, reader: openSync(pathOf(name), READ) });
  } catch {
    // Too many files are open: one pipe less.
    closeSync(name);
  }
}

function pathOf(name: number): string {
  return `/proc/self/fd/${name}`;
}

/**
 * Makes some more, or none where too many files are open: then later again. They lose their names at once, so that nothing is
 * left behind however this process ends.
 */
function makePipes(): void {
  const opened: number[] = [];
  let folder: string | null = null;
  try {
    folder = makeTemporary();
    const names = Array.from({ length: BATCH }, (_, index) => `${folder}/${index}`);
    const { status, error } = spawnSync('mkfifo', ['-m', '600', ...names], { stdio: 'ignore' });
    works = status === 0 || (error !== undefined && codeOf(error) !== 'ENOENT');
    if (status !== 0) return;
    const open = (path: string, flags: number): number => {
      const descriptor = openSync(path, flags);
      opened.push(descriptor);
      return descriptor;
    };
    const made = names.map((path) => {
      const name = open(path, O_PATH);
      return { name, reader: open(pathOf(name), READ) };
    });
    free.push(...made);
  } catch {
    for (const descriptor of opened) closeSync(descriptor);
  } finally {
    if (folder !== null) removeTemporary(folder);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
