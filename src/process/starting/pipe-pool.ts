import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import { Readable, type Writable } from 'node:stream';
import { systemCode } from '../../kernel/contained.ts';
import { readyLauncher } from './launcher.ts';
import { makeTemporary, removeTemporary } from '../temporaries.ts';

const BATCH = 16;
/** With so many left, more are made beside. */
const FEW = 8;
/**
 * Opens a descriptor that only names a file and neither reads nor writes; node:fs lacks the
 * constant.
 */
const O_PATH = 0o10000000;
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** A pipe without a writer: a descriptor that names it, and one that reads. */
interface FreePipe {
  readonly name: number;
  readonly reader: number;
}

const free: FreePipe[] = [];
let works = process.platform === 'linux';

/** Shared by all pipes: they are read one after the other, and each chunk is consumed at once. */
const chunk = Buffer.allocUnsafeSlow(65_536);

/**
 * A kernel pipe for the output of a program; null if none can be made. Node's own pipes are
 * sockets, with which `echo > /dev/stderr` and the like fail.
 */
export function openOutputPipe(): OutputPipe | null {
  const pipe = takeFree();
  if (pipe === undefined) return null;
  try {
    return new OutputPipe(pipe, openSync(pathOf(pipe.name), constants.O_WRONLY));
  } catch (error) {
    free.push(pipe);
    throw error;
  }
}

/** A kernel pipe for the input of a program; null if none can be made. */
export function openInputPipe(): InputPipe | null {
  const pipe = takeFree();
  if (pipe === undefined) return null;
  const opened: number[] = [];
  const open = (flags: number): number => {
    const descriptor = openSync(pathOf(pipe.name), flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const [write, read] = [open(constants.O_WRONLY | constants.O_NONBLOCK), open(constants.O_RDONLY)];
    closeSync(pipe.reader);
    return new InputPipe(pipe.name, read, write);
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    free.push(pipe);
    throw error;
  }
}

/** The source of a program's output. */
export type Source = OutputPipe | Readable;

export function streamOf(source: Source): Readable {
  return source instanceof Readable ? source : source.flow();
}

/** One use of a pipe for input. */
export class InputPipe {
  /** For the program; close it once the program has its copy. */
  readonly read: number;
  readonly write: Writable;
  readonly #name: number;

  constructor(name: number, read: number, write: number) {
    this.#name = name;
    this.read = read;
    this.write = new Socket({ fd: write, readable: false, writable: true });
  }

  /** The program has ended; another process may still read. */
  over(): void {
    const reuse = (): void => (isRead(this.#name) ? closeSync(this.#name) : putBack(this.#name));
    if (this.write.closed) return reuse();
    this.write.once('close', reuse);
    this.write.destroy();
  }
}

/** What is in a pipe that has neither end is gone. */
function isRead(name: number): boolean {
  try {
    closeSync(openSync(pathOf(name), constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return systemCode(error) !== 'ENXIO';
  }
}

/** One use of a pipe, until its end. */
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
   * Passes on the pipe's content without waiting, at most a megabyte; the memory of a chunk is
   * reused. True: end of file, no process has it open, and the pipe returns to the pool. False:
   * some is left, or a process can still write.
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

  /** Turns the pipe into a stream, which closes it. */
  flow(): Readable {
    const { name, reader } = this.#pipe;
    this.#isOurs = false;
    const read = new Socket({ fd: reader, readable: true, writable: false });
    // After its end no process has it open, so it can be reused. Otherwise a process could still
    // write into it.
    read.once('close', () => {
      if (read.readableEnded) putBack(name);
      else closeSync(name);
    });
    return read;
  }

  /** Closes it, even if other processes have it open. */
  discard(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    closeSync(this.#pipe.reader);
    closeSync(this.#pipe.name);
  }
}

/** The number of bytes read; 0 at its end, null if it is empty and open. */
function readNow(reader: number): number | null {
  try {
    return readSync(reader, chunk, 0, chunk.length, null);
  } catch (error) {
    if (systemCode(error) === 'EAGAIN') return null;
    throw error;
  }
}

function putBack(name: number): void {
  try {
    free.push({ name, reader: openSync(pathOf(name), READ) });
  } catch {
    // Too many files are open: the pool shrinks by one.
    closeSync(name);
  }
}

function pathOf(name: number): string {
  return `/proc/self/fd/${name}`;
}

function takeFree(): FreePipe | undefined {
  if (free.length === 0 && works) refill();
  if (free.length === FEW) readyLauncher()?.morePipes();
  return free.pop();
}

/** Takes more pipes, or none if too many files are open: the next call tries again. */
function refill(): void {
  takePipes(readyLauncher()?.pipes() ?? []);
  if (free.length > 0) return;
  const names = makePipes();
  takePipes(names.map(pathOf));
  for (const name of names) closeSync(name);
}

/** Takes the pipes at these paths, or as many as can be opened. */
function takePipes(paths: readonly string[]): void {
  for (const path of paths) {
    let name: number | null = null;
    try {
      name = openSync(path, O_PATH);
      free.push({ name, reader: openSync(pathOf(name), READ) });
    } catch {
      if (name !== null) closeSync(name);
      return;
    }
  }
}

/**
 * Makes pipes and returns descriptors that name them; none if it cannot. The files are removed at
 * once, so that none remain however this process ends.
 */
export function makePipes(count = BATCH): number[] {
  const made: number[] = [];
  let folder: string | null = null;
  try {
    folder = makeTemporary();
    const paths = Array.from({ length: count }, (_, index) => `${folder}/${index}`);
    const { status, error } = spawnSync('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    works = status === 0 || (error !== undefined && systemCode(error) !== 'ENOENT');
    if (status === 0) for (const path of paths) made.push(openSync(path, O_PATH));
    return made;
  } catch {
    for (const descriptor of made) closeSync(descriptor);
    return [];
  } finally {
    if (folder !== null) removeTemporary(folder);
  }
}
