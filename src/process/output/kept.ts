import { StringDecoder } from 'node:string_decoder';
import { createTail } from './tail.ts';
import type { Ends } from '../types.ts';

/** Kept output for readers: complete, or the beginning and the end if it is long. */
interface Kept {
  push(chunk: Buffer): void;
  /** As text; says how much is left out, and cuts no character there. */
  text(): string;
}

export function keepEnds({ head, tail }: Ends): Kept {
  const beginning: Buffer[] = [];
  const end = createTail(tail);
  let size = 0;
  return {
    push(chunk) {
      const room = Math.max(0, head - size);
      size += chunk.length;
      // The caller reuses the memory of a chunk.
      if (room > 0) beginning.push(Buffer.from(chunk.subarray(0, room)));
      if (room < chunk.length) end.push(chunk.subarray(room));
    },
    text() {
      const begun = Buffer.concat(beginning);
      if (size <= head + tail) return Buffer.concat([begun, end.bytes()]).toString();
      const left = `\n[… ${String(size - head - tail)} bytes …]\n`;
      return `${new StringDecoder('utf8').write(begun)}${left}${end.text()}`;
    },
  };
}
