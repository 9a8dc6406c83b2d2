import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import { makeTemporary } from './temporaries.ts';
import type { Readable } from 'node:stream';

const BATCH = 16;
/** A descriptor that only names a file and neither reads nor writes; node:fs has no constant for it. */
const O_PATH = 0o10000000;

/** Pipes that nobody has open, by a descriptor that names them. */
const free: number[] = [];
let works = process.platform === 'linux';

export interface OutputPipe {
  /** For the program; close it once the program has its copy. */
  readonly write: number;
  readonly read: Readable;
}

/**
 * A pipe of the kernel's for the output of a program; null where there is none to be had. Node's own are sockets, with which
 * `echo > /dev/stderr` and the like fail.
 */
export function openOutputPipe(): OutputPipe | null {
  if (free.length === 0 && works) works = makePipes();
  const name = free.pop();
  if (name === undefined) return null;
  const path = `/proc/self/fd/${name}`;
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const write = openSync(path, constants.O_WRONLY);
    const read = new Socket({ fd: reader, readable: true, writable: false });
    // After its end nobody has it open, and it is as new. Otherwise somebody could still write into it.
    read.once('close', () => (read.readableEnded ? free.push(name) : closeSync(name)));
    return { write, read };
  } catch (error) {
    closeSync(reader);
    closeSync(name);
    throw error;
  }
}

/** Makes some more. They lose their names at once, so that nothing is left behind however this process ends. */
function makePipes(): boolean {
  let folder: string | null = null;
  try {
    folder = makeTemporary();
    const names = Array.from({ length: BATCH }, (_, index) => `${folder}/${index}`);
    if (spawnSync('mkfifo', ['-m', '600', ...names], { stdio: 'ignore' }).status !== 0) return false;
    free.push(...names.map((name) => openSync(name, O_PATH)));
    return true;
  } catch {
    return false;
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}
