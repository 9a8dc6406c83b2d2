/** Start (inclusive) and end (exclusive) of an occurrence. */
type Span = readonly [start: number, end: number];

/** Bytes that decide how far the search may skip. */
const blockLength = 3;
const blocks = 1 << 16;

/**
 * Finds many byte strings at once: the time hardly depends on their number. Each
 * has at least four bytes.
 */
export class Finder {
  readonly #longest: number;
  readonly #shortest: number;
  /** By the hash of a block: how far the search may skip when a window ends with it. */
  readonly #skips: Uint8Array;
  /** By their first four bytes, the longest first. */
  readonly #byHead = new Map<number, Buffer[]>();
  readonly #byFirst = new Map<number, Buffer[]>();

  constructor(wanted: readonly Buffer[]) {
    const lengths = wanted.map(({ length }) => length);
    this.#longest = Math.max(...lengths);
    this.#shortest = Math.min(...lengths, 255);
    this.#skips = new Uint8Array(blocks).fill(this.#shortest - blockLength + 1);
    for (const each of wanted.toSorted((a, b) => b.length - a.length)) {
      for (let end = blockLength - 1; end < this.#shortest; end += 1) {
        const hash = hashAt(each, end);
        this.#skips[hash] = Math.min(this.#skips[hash]!, this.#shortest - 1 - end);
      }
      collect(this.#byHead, headAt(each, 0), each);
      collect(this.#byFirst, each[0]!, each);
    }
  }

  /** Occurrences that end behind `from` and together cover all others, ordered by their ends. */
  find(input: Buffer, from: number): Span[] {
    const found: Span[] = [];
    const done = new Map<Buffer, number>();
    const most = input.length - 1;
    let end = Math.max(0, from - this.#longest + 1) + this.#shortest - 1;
    while (end <= most) {
      const skip = this.#skips[hashAt(input, end)]!;
      if (skip > 0) {
        end += skip;
        continue;
      }
      const start = end - this.#shortest + 1;
      for (const each of this.#byHead.get(headAt(input, start)) ?? []) {
        const { length } = each;
        if (start + length <= from || start + length > input.length) continue;
        if ((done.get(each) ?? -1) >= start || !isAt(input, each, start)) continue;
        // Those between this one and the last that overlaps it add nothing, so that a string of
        // one letter takes no more steps than any other.
        const last = input.lastIndexOf(each, start + length - 1);
        found.push([start, start + length]);
        if (last > start) found.push([last, last + length]);
        done.set(each, last);
      }
      end += 1;
    }
    return found.toSorted((a, b) => a[1] - b[1]);
  }

  /** The length of the longest end of the input with which a longer string can begin. */
  begun(input: Buffer): number {
    for (let at = Math.max(0, input.length - this.#longest + 1); at < input.length; at += 1) {
      const length = input.length - at;
      const wanted = length < 4 ? this.#byFirst.get(input[at]!) : this.#byHead.get(headAt(input, at));
      if (wanted?.some((each) => each.length > length && input.compare(each, 0, length, at) === 0) === true)
        return length;
    }
    return 0;
  }
}

function hashAt(bytes: Buffer, end: number): number {
  return (bytes[end]! ^ (bytes[end - 1]! << 4) ^ (bytes[end - 2]! << 8)) & (blocks - 1);
}

function headAt(bytes: Buffer, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

function isAt(input: Buffer, wanted: Buffer, at: number): boolean {
  return input.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0;
}

function collect(map: Map<number, Buffer[]>, key: number, each: Buffer): void {
  const others = map.get(key);
  if (others === undefined) map.set(key, [each]);
  else others.push(each);
}
