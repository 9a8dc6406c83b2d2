import { unmasked, weakness, type Mask } from '../../kernel/mask.ts';
import { Finder } from './finder.ts';
import { allSpellings, jsonSpellings, partsOf } from './spellings.ts';

const REPLACEMENT = Buffer.from('***');
const NOTHING = Buffer.alloc(0);

export interface Masker {
  /** Accepts output and returns the part that is safe to show so far. */
  push(chunk: Buffer): Buffer;
  /** Returns the rest; call it once, at the end. */
  flush(): Buffer;
}

type NewMasker = () => Masker;

const open: NewMasker = () => ({ push: (chunk) => chunk, flush: () => NOTHING });
const prepared = new WeakMap<readonly string[], NewMasker>();

/**
 * Prepares the secrets once, for any number of streams. A masker replaces every occurrence of a
 * secret by `***`, also of its lines, in the spellings of JSON, base64, URLs and shells, and across
 * chunks; overlapping occurrences become one replacement. A weak secret is replaced only as a
 * whole word. Time grows with the input and, per chunk, the longest secret, hardly with their
 * number; at most the longest spelling and two bytes are held back.
 */
export function maskerFactory(secrets: readonly string[]): NewMasker {
  const known = prepared.get(secrets) ?? prepare(secrets);
  prepared.set(secrets, known);
  return known;
}

function prepare(secrets: readonly string[]): NewMasker {
  const { strong, weak } = sorted(secrets);
  const ofStrong = strong.length === 0 ? open : strongMaskers(strong);
  if (weak.length === 0) return ofStrong;
  const spellings = jsonSpellings(weak);
  return () => chained(ofStrong(), new WordMasker(spellings));
}

/** A secret of stars alone looks like its replacement: there is nothing to hide. */
function sorted(secrets: readonly string[]): { strong: string[]; weak: string[] } {
  const isWeak = (secret: string) => weakness(secret) !== null;
  const parts = secrets.flatMap((secret) => (isWeak(secret) ? [secret] : partsOf(secret)));
  const hidden = parts.filter((secret) => /[^*]/.test(secret));
  return { strong: hidden.filter((secret) => !isWeak(secret)), weak: hidden.filter(isWeak) };
}

function strongMaskers(secrets: readonly string[]): NewMasker {
  const finder = new Finder(allSpellings(secrets).map((spelling) => Buffer.from(spelling)));
  return () => new StrongMasker(finder);
}

function chained(first: Masker, second: Masker): Masker {
  return {
    push: (chunk) => second.push(first.push(chunk)),
    flush: () => Buffer.concat([second.push(first.flush()), second.flush()]),
  };
}

class StrongMasker implements Masker {
  readonly #finder: Finder;
  /** Undecided input: a secret may begin anywhere in it. */
  #held: Buffer = NOTHING;
  /** Start and end of each run of secret bytes in `#held`, in order and disjoint. */
  #spans: number[] = [];
  /** True if the replacement of the first span, at the head of `#held`, has been returned. */
  #headOut = false;

  constructor(finder: Finder) {
    this.#finder = finder;
  }

  push(chunk: Buffer): Buffer {
    const from = this.#held.length;
    const input = from === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (const [start, end] of this.#finder.find(input, from)) addSpan(this.#spans, start, end);
    return this.#emit(input, input.length - this.#finder.begun(input));
  }

  flush(): Buffer {
    return this.#emit(this.#held, this.#held.length);
  }

  /**
   * Returns everything before `decided`, where no secret can begin any more, and holds the rest.
   */
  #emit(input: Buffer, decided: number): Buffer {
    const output: Buffer[] = [];
    const rest: number[] = [];
    let position = 0;
    let headOut = false;
    for (let index = 0; index < this.#spans.length; index += 2) {
      const start = this.#spans[index]!;
      const end = this.#spans[index + 1]!;
      const isOut = index === 0 && this.#headOut;
      if (start < decided || isOut) {
        if (!isOut) output.push(input.subarray(position, start), REPLACEMENT);
        position = end;
        headOut = end > decided;
      }
      if (end > decided) rest.push(Math.max(0, start - decided), end - decided);
    }
    if (position < decided) output.push(input.subarray(position, decided));
    this.#held = decided === input.length ? NOTHING : Buffer.from(input.subarray(decided));
    this.#spans = rest;
    this.#headOut = headOut;
    return output.length === 1 ? output[0]! : Buffer.concat(output);
  }
}

/** Adds a span that ends behind all others, merging those that it overlaps. */
function addSpan(spans: number[], start: number, end: number): void {
  let first = start;
  while (spans.length > 0 && spans[spans.length - 1]! > first) {
    spans.pop();
    first = Math.min(first, spans.pop()!);
  }
  spans.push(first, end);
}

/** The bytes of a word: also every byte of a character outside ASCII. */
const wordByte = '[0-9A-Za-z_\\x80-\\xff]';

/** Spellings as whole words, in bytes that are characters (latin1). */
function wordPattern(spellings: readonly string[]): RegExp {
  const words = spellings
    .map((spelling) => Buffer.from(spelling).toString('latin1'))
    .toSorted((a, b) => b.length - a.length)
    .map((spelling) => spelling.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`(?<!${wordByte})(?:${words.join('|')})(?!${wordByte})`, 'g');
}

/** Replaces spellings that are whole words. Bytes are characters here (latin1). */
class WordMasker implements Masker {
  readonly #pattern: RegExp;
  readonly #longest: number;
  /** The last byte returned, and the bytes held back, which may begin a spelling. */
  #before = '';
  #held = '';

  constructor(spellings: readonly string[]) {
    this.#longest = Math.max(...spellings.map((spelling) => Buffer.byteLength(spelling)));
    this.#pattern = wordPattern(spellings);
  }

  push(chunk: Buffer): Buffer {
    this.#held += chunk.toString('latin1');
    // By then the byte behind the longest spelling that begins before this is known.
    return this.#emit(Math.max(0, this.#held.length - this.#longest));
  }

  flush(): Buffer {
    return this.#emit(this.#held.length);
  }

  /** Returns everything whose first byte is before `decided`. */
  #emit(decided: number): Buffer {
    const text = this.#before + this.#held;
    const from = this.#before.length;
    let output = '';
    let position = from;
    this.#pattern.lastIndex = from;
    for (let found = this.#pattern.exec(text); found !== null; found = this.#pattern.exec(text)) {
      if (found.index >= from + decided) break;
      output += `${text.slice(position, found.index)}${REPLACEMENT.toString()}`;
      position = found.index + found[0].length;
    }
    const end = Math.max(position, from + decided);
    output += text.slice(position, end);
    this.#before = text.slice(Math.max(0, end - 1), end);
    this.#held = text.slice(end);
    return Buffer.from(output, 'latin1');
  }
}

/**
 * Finds secrets in whole bytes: the start and the end of each run of bytes that a masker would
 * replace, in order and disjoint.
 */
export function secretFinder(secrets: readonly string[]): (bytes: Buffer) => readonly [number, number][] {
  const { strong, weak } = sorted(secrets);
  const spellings = allSpellings(strong).map((spelling) => Buffer.from(spelling));
  const finder = spellings.length === 0 ? null : new Finder(spellings);
  const words = weak.length === 0 ? null : wordPattern(jsonSpellings(weak));
  return (bytes) => {
    const spans: number[] = [];
    for (const [start, end] of finder?.find(bytes, 0) ?? []) addSpan(spans, start, end);
    const found = spans.flatMap((start, index) =>
      index % 2 === 0 ? [[start, spans[index + 1]!] as [number, number]] : [],
    );
    if (words === null) return found;
    // A strong secret beside a weak one ends its word, as its replacement does.
    const stars = Buffer.from(bytes);
    for (const [start, end] of found) stars.fill('*', start, end);
    const whole = [...stars.toString('latin1').matchAll(words)].map(
      ({ index, 0: word }) => [index, index + word.length] as [number, number],
    );
    return [...found, ...whole].toSorted((one, other) => one[0] - other[0]);
  };
}

/** Masks whole files of any content. */
export function bytesMasker(secrets: readonly string[]): (bytes: Uint8Array) => Uint8Array {
  const newMasker = maskerFactory(secrets);
  return (bytes) => {
    const masker = newMasker();
    return Buffer.concat([masker.push(Buffer.from(bytes)), masker.flush()]);
  };
}

/** Masks whole strings, from processes, agents and people. */
export function maskOf(secrets: readonly string[]): Mask {
  const { strong, weak } = sorted(secrets);
  if (strong.length + weak.length === 0) return unmasked;
  return { text: textMasker([...strong, ...weak]), name: textMasker(strong) };
}

function textMasker(secrets: readonly string[]): (text: string) => string {
  const mask = bytesMasker(secrets);
  return (text) => {
    const bytes = Buffer.from(text);
    const masked = Buffer.from(mask(bytes));
    return masked.equals(bytes) ? text : masked.toString('utf8');
  };
}
