import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import type { Masker } from './mask.ts';
import { keepEnds } from './kept.ts';
import { cautiously } from '../plain-file.ts';
import { createTail } from './tail.ts';
import type { Ends } from '../types.ts';

const TAIL_BYTES = 64 * 1024;

export interface CaptureEvents {
  /** Something came, whatever becomes of it. */
  activity(): void;
  /** Output as it came. */
  read(chunk: Buffer): void;
  /** Masked output, as it goes into the file. */
  output(chunk: Buffer): void;
  /** The limit is reached; what follows is dropped. Called once. */
  full(): void;
  /** The file cannot be written any more; what follows is dropped. Called once. */
  failed(error: string): void;
}

/** One output of a process on its way through the masker into a file. Memory is bounded whatever comes. */
export interface Capture {
  /** Call it once, before anything is taken. */
  tell(events: CaptureEvents): void;
  take(chunk: Buffer): void;
  /** Writes what the masker held back and closes the file; whatever comes later is refused. */
  close(): void;
  /** The last 64 KB, masked. */
  tail(): string;
  /** What was to be kept of it. */
  text(): string;
}

function openForWriting(file: string): number {
  return openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | cautiously, 0o666);
}

/** What is there is emptied; else the file is made with the first byte. Throws when it cannot be opened. */
export function openCapture(file: string, limitBytes: number, masker: Masker, ends: Ends): Capture {
  const isLater = !existsSync(file) && existsSync(dirname(file));
  let descriptor = isLater ? null : openForWriting(file);
  const tail = createTail(TAIL_BYTES);
  const kept = keepEnds(ends);
  let state: 'open' | 'dropping' | 'closed' = 'open';
  let size = 0;
  let events: CaptureEvents | null = null;

  const write = (chunk: Buffer): void => {
    try {
      descriptor ??= openForWriting(file);
      for (let at = 0; at < chunk.length;) at += writeSync(descriptor, chunk, at);
    } catch (error) {
      state = 'dropping';
      events?.failed(messageOf(error));
    }
  };
  const accept = (masked: Buffer): void => {
    if (masked.length === 0 || state !== 'open') return;
    const fitting = masked.subarray(0, limitBytes - size);
    size += fitting.length;
    tail.push(fitting);
    write(fitting);
    if (!ends.raw) kept.push(fitting);
    events?.output(fitting);
    if (fitting.length === masked.length || state !== 'open') return;
    state = 'dropping';
    const note = Buffer.from(`\n[output limit of ${limitBytes} bytes reached: the rest was dropped]\n`);
    tail.push(note);
    write(note);
    events?.full();
  };
  return {
    tell(listener) {
      events = listener;
    },
    take(chunk) {
      events?.activity();
      if (state !== 'open') return;
      if (ends.raw) kept.push(chunk);
      events?.read(chunk);
      accept(masker.push(chunk));
    },
    close() {
      if (state === 'closed') return;
      accept(masker.flush());
      state = 'closed';
      if (descriptor !== null) closeSync(descriptor);
    },
    tail: () => tail.text(),
    text: () => kept.text(),
  };
}
