import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import type { Masker } from './mask.ts';
import { cautiously } from '../plain-file.ts';
import type { Ends } from '../types.ts';
import { StringDecoder } from 'node:string_decoder';

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

function openForWriting(file: string): number {
  return openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | cautiously, 0o666);
}

export type Capture = ReturnType<typeof openCapture>;

/**
 * Masks one output of a process and writes it to a file. Memory use is bounded for any input.
 * Empties an existing file; otherwise creates it with the first byte. Throws if the file cannot be
 * opened.
 */
export function openCapture(file: string, limitBytes: number, masker: Masker, ends: Ends) {
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
    /** Sets the callbacks; call it once, before the first output. */
    listen(listener: CaptureEvents): void {
      events = listener;
    },
    take(chunk: Buffer): void {
      events?.activity();
      if (state !== 'open') return;
      if (ends.raw) kept.push(chunk);
      events?.read(chunk);
      accept(masker.push(chunk));
    },
    /** Writes what the masker held back and closes the file; later output is rejected. */
    close(): void {
      if (state === 'closed') return;
      accept(masker.flush());
      state = 'closed';
      if (descriptor !== null) closeSync(descriptor);
    },
    /** The last 64 KB, masked. */
    tail: () => tail.text(),
    /** The kept parts of the output, as text. */
    text: () => kept.text(),
  };
}

/** Keeps output for readers: complete, or the beginning and the end if it is long. */
function keepEnds({ head, tail }: Ends) {
  const beginning: Buffer[] = [];
  const end = createTail(tail);
  let size = 0;
  return {
    push(chunk: Buffer): void {
      const room = Math.max(0, head - size);
      size += chunk.length;
      // The caller reuses the memory of a chunk.
      if (room > 0) beginning.push(Buffer.from(chunk.subarray(0, room)));
      if (room < chunk.length) end.push(chunk.subarray(room));
    },
    /** As text; says how much is left out, and cuts no character there. */
    text(): string {
      const begun = Buffer.concat(beginning);
      if (size <= head + tail) return Buffer.concat([begun, end.bytes()]).toString();
      const left = `\n[… ${String(size - head - tail)} bytes …]\n`;
      return `${new StringDecoder('utf8').write(begun)}${left}${end.text()}`;
    },
  };
}

/**
 * Keeps the last `limit` bytes of a stream. Uses memory only for received bytes, at most twice the
 * limit.
 */
export function createTail(limit: number) {
  let buffer = Buffer.alloc(0);
  let length = 0;
  const makeRoom = (needed: number): void => {
    if (length + needed <= buffer.length) return;
    if (buffer.length < 2 * limit) {
      const larger = Buffer.allocUnsafe(Math.min(2 * limit, Math.max(1024, 2 * (length + needed))));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
      if (length + needed <= buffer.length) return;
    }
    const keep = Math.min(length, limit);
    buffer.copyWithin(0, length - keep, length);
    length = keep;
  };
  return {
    push(chunk: Buffer): void {
      const end = chunk.length > limit ? chunk.subarray(chunk.length - limit) : chunk;
      makeRoom(end.length);
      end.copy(buffer, length);
      length += end.length;
    },
    bytes: () => buffer.subarray(Math.max(0, length - limit), length),
    /** As text; a character cut at the front is left out. */
    text(): string {
      let start = Math.max(0, length - limit);
      if (start > 0) while (start < length && (buffer[start]! & 0xc0) === 0x80) start++;
      return buffer.toString('utf8', start, length);
    },
  };
}
