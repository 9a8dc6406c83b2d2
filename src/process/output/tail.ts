/**
 * Keeps the last `limit` bytes of a stream. Uses memory only for received bytes, at most twice the
 * limit.
 */
interface Tail {
  push(chunk: Buffer): void;
  bytes(): Buffer;
  /** As text; a character cut at the front is left out. */
  text(): string;
}

export function createTail(limit: number): Tail {
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
    push(chunk) {
      const end = chunk.length > limit ? chunk.subarray(chunk.length - limit) : chunk;
      makeRoom(end.length);
      end.copy(buffer, length);
      length += end.length;
    },
    bytes: () => buffer.subarray(Math.max(0, length - limit), length),
    text() {
      let start = Math.max(0, length - limit);
      if (start > 0) while (start < length && (buffer[start]! & 0xc0) === 0x80) start++;
      return buffer.toString('utf8', start, length);
    },
  };
}
