import { unmasked } from '../core/mask.ts';
import { buildAutomaton, type Automaton } from './automaton.ts';

const REPLACEMENT = Buffer.from('***');
const NOTHING = Buffer.alloc(0);

export interface Masker {
  /** Takes output and returns what may be shown of it by now. */
  push(chunk: Buffer): Buffer;
  /** Returns what was held back; call it once, at the end. */
  flush(): Buffer;
}

/**
 * Prepares the secrets once, for any number of streams. A masker replaces every occurrence of a secret by `***`, also as JSON
 * spells it, wherever the chunks are cut; overlapping occurrences become one replacement. Time is linear in the input
 * whatever the secrets are, and less than the longest spelling is held back.
 */
export function maskerFactory(secrets: readonly string[]): () => Masker {
  const patterns = spellingsOf(secrets).map((spelling) => Buffer.from(spelling));
  if (patterns.length === 0) return () => ({ push: (chunk) => chunk, flush: () => NOTHING });
  const automaton = buildAutomaton(patterns);
  return () => new AutomatonMasker(automaton);
}

/** As they are, and as they stand in the JSON that agents write: quoted, or in a text that is quoted again. */
function spellingsOf(secrets: readonly string[]): string[] {
  const spellings = secrets.flatMap((secret) => {
    const quoted = [inJson(secret), inAscii(inJson(secret))];
    return [secret, ...quoted, ...quoted.map((text) => inJson(text))];
  });
  return [...new Set(spellings)].filter((spelling) => spelling !== '');
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inAscii(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replaceAll(/[\u0080-\uffff]/g, escaped);
}

class AutomatonMasker implements Masker {
  readonly #automaton: Automaton;
  #state = 0;
  /** Input that is not yet decided: a secret may begin anywhere in it. */
  #held: Buffer = NOTHING;
  /** Start and end of each run of secret bytes in `#held`, in order and apart from each other. */
  #spans: number[] = [];
  /** True when the replacement of the first of them, at the head of `#held`, is already out. */
  #headOut = false;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  push(chunk: Buffer): Buffer {
    const from = this.#held.length;
    const input = from === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#scan(input, from);
    return this.#emit(input, input.length - this.#automaton.depth[this.#state]!);
  }

  flush(): Buffer {
    return this.#emit(this.#held, this.#held.length);
  }

  #scan(input: Buffer, from: number): void {
    const { next, match, columns, columnOf } = this.#automaton;
    let row = this.#state * columns;
    for (let index = from; index < input.length; index++) {
      row = next[row + columnOf[input[index]!]!]!;
      if (row >= 0) continue;
      row = ~row;
      addSpan(this.#spans, index + 1 - match[row / columns]!, index + 1);
    }
    this.#state = row / columns;
  }

  /** Gives out everything before `decided`, where no secret can begin any more, and holds the rest. */
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

/** Adds a span whose end is behind all others, swallowing those that it overlaps. */
function addSpan(spans: number[], start: number, end: number): void {
  let first = start;
  while (spans.length > 0 && spans[spans.length - 1]! > first) {
    spans.pop();
    first = Math.min(first, spans.pop()!);
  }
  spans.push(first, end);
}

/** Masks whole files, of whatever bytes. */
export function bytesMasker(secrets: readonly string[]): (bytes: Uint8Array) => Uint8Array {
  const newMasker = maskerFactory(secrets);
  return (bytes) => {
    const masker = newMasker();
    return Buffer.concat([masker.push(Buffer.from(bytes)), masker.flush()]);
  };
}

/** Masks whole texts: documents, log lines. */
export function textMasker(secrets: readonly string[]): (text: string) => string {
  const spellings = spellingsOf(secrets);
  if (spellings.length === 0) return unmasked;
  const newMasker = maskerFactory(secrets);
  return (text) => {
    if (!spellings.some((spelling) => text.includes(spelling))) return text;
    const masker = newMasker();
    return Buffer.concat([masker.push(Buffer.from(text)), masker.flush()]).toString('utf8');
  };
}
