/** A file that grows. Both are null when it is gone. */
export interface LogSource {
  size(): number | null;
  /** At most so many bytes from an offset on. */
  read(from: number, most: number): Buffer | null;
}

/** A line without an end is cut into lines of this many bytes. */
const longestLine = 16 * 1024;
/** What is read at once, in bytes. */
const pieceBytes = 1024 * 1024;
/** How many lines lie between two that are known by their offset. */
const stride = 256;
/** The bytes before the known end by which a file is recognised that was written anew. */
const fingerprint = 64;

/** Where a line that begins at `from` is cut: not inside of a character. */
function cutOf(bytes: Buffer, from: number): number {
  const longest = from + longestLine;
  for (let end = longest; end > longest - 4; end -= 1) if ((bytes[end]! & 0xc0) !== 0x80) return end;
  return longest;
}

/**
 * Calls `each` with the start and the end of every complete line of some bytes, until it returns
 * false. Returns where the first line begins that was not passed on.
 */
export function eachLine(bytes: Buffer, each: (start: number, end: number) => boolean): number {
  let from = 0;
  // A loop over bytes is faster than a search for each line.
  for (let at = 0; at < bytes.length; at += 1) {
    const isCut = at - from === longestLine;
    if (bytes[at] !== 0x0a && !isCut) continue;
    const end = isCut ? cutOf(bytes, from) : at + 1;
    if (!each(from, end)) return from;
    from = end;
    at = end - 1;
  }
  return from;
}

/** Lets other requests in while a long file is read. */
export function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Where the lines of a growing file begin. It keeps one offset of 256, and reads each byte once.
 */
export class LineIndex {
  readonly #source: LogSource;
  /** The offset of every line whose number, from 0, is a multiple of the stride. */
  #known: number[] = [0];
  /** The complete lines, where they end, and the bytes before that. */
  #lines = 0;
  #end = 0;
  #tail: Buffer = Buffer.alloc(0);
  #reading: Promise<void> = Promise.resolve();

  constructor(source: LogSource) {
    this.#source = source;
  }

  /** Complete lines, and whether an incomplete one follows, as of the last look. */
  total = 0;
  complete = true;
  size = 0;

  /** Reads what has come since the last look. False: the file is gone. */
  async look(signal: AbortSignal): Promise<boolean> {
    const before = this.#reading;
    this.#reading = before.then(() => this.#extend(signal));
    await this.#reading;
    return this.#source.size() !== null;
  }

  async #extend(signal: AbortSignal): Promise<void> {
    this.size = this.#source.size() ?? 0;
    if (!this.#isSame()) [this.#known, this.#lines, this.#end] = [[0], 0, 0];
    while (this.#end < this.size && !signal.aborted) {
      const bytes = this.#source.read(this.#end, pieceBytes);
      if (bytes === null || bytes.length === 0) break;
      const start = this.#end;
      const read = eachLine(bytes, (_, end) => {
        this.#lines += 1;
        if (this.#lines % stride === 0) this.#known.push(start + end);
        return true;
      });
      if (read === 0) break;
      this.#end += read;
      this.#tail = Buffer.from(bytes.subarray(Math.max(0, read - fingerprint), read));
      await breath();
    }
    this.complete = this.#end >= this.size;
    this.total = this.#lines + (this.complete ? 0 : 1);
  }

  /** False: the file was cut or written anew. */
  #isSame(): boolean {
    if (this.#end === 0) return true;
    if (this.size < this.#end) return false;
    const { length } = this.#tail;
    return this.#source.read(this.#end - length, length)?.equals(this.#tail) ?? false;
  }

  /** A line at or before the given one whose offset is known. Lines count from 0. */
  before(line: number): { readonly line: number; readonly offset: number } {
    const place = Math.min(Math.floor(line / stride), this.#known.length - 1);
    return { line: place * stride, offset: this.#known[place]! };
  }

  /** The first known line from which at most so many bytes follow. */
  lastOf(bytes: number): { readonly line: number; readonly offset: number } {
    const place = this.#known.findIndex((offset) => this.size - offset <= bytes);
    return this.before((place === -1 ? this.#known.length - 1 : place) * stride);
  }
}
