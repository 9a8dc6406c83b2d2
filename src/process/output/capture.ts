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
  /** Output arrived, whether or not it is kept. */
  activity(): void;
  /** Output as it arrived. */
  read(chunk: Buffer): void;
  /** Masked output, as written to the file. */
  output(chunk: Buffer): void;
  /** The limit is reached; later output is dropped. Called once. */
  full(): void;
  /** The file is no longer writable; later output is dropped. Called once. */
  failed(error: string): void;
}

/** Masks one output of a process and writes it to a file. Memory use is bounded for any input. */
export interface Capture {
  /** Sets the callbacks; call it once, before the first output. */
  listen(events: CaptureEvents): void;
  take(chunk: Buffer): void;
  /** Writes what the masker held back and closes the file; later output is rejected. */
  close(): void;
  /** The last 64 KB, masked. */
  tail(): string;
  /** The kept parts of the output, as text. */
  text(): string;
}

function openForWriting(file: string): number {
  return openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | cautiously, 0o666);
}

/**
 * Empties an existing file; otherwise creates it with the first byte. Throws if the file cannot be
 * opened.
 */
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
    listen(listener) {
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
