import { Composer, isMap, isScalar, isSeq, Parser } from 'yaml';
import type { CST, Pair, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Path } from '../yaml.ts';
import { composing } from '../composing.ts';

export type Collection = YAMLMap.Parsed | YAMLSeq.Parsed;

/** A pair or an item with the offsets of its parts. */
export interface Slot {
  /** The name of a pair; null: an item. */
  readonly name: string | null;
  readonly key: Scalar | null;
  readonly value: ParsedNode | null;
  /** Where it begins, with the dash of an item. */
  readonly start: number;
  /** Behind the colon or the dash; null: there is none, as in an item of a flow. */
  readonly mark: number | null;
  /** Behind its last character. */
  readonly end: number;
}

/** The nodes of a source text without errors, with the offsets of all its tokens. */
export class EditableText {
  readonly text: string;
  readonly root: ParsedNode | null;
  readonly #slots = new Map<Collection, readonly Slot[]>();

  constructor(text: string) {
    this.text = text;
    const composer = new Composer({ ...composing, keepSourceTokens: true });
    const [document] = composer.compose(new Parser().parse(text), true, text.length);
    this.root = document?.contents ?? null;
  }

  /** The keys of the text's mapping with their plain values; other values are null. */
  keys(): JsonObject {
    if (!isMap(this.root)) return {};
    return Object.fromEntries(
      this.slotsOf(this.root).map(({ name, value }): [string, Json] => {
        if (isScalar(value)) return [name ?? '', plainValue(value)];
        return [name ?? '', isMap(value) ? {} : isSeq(value) ? [] : null];
      }),
    );
  }

  /** The node at a path; undefined: there is none. */
  nodeAt(path: Path): ParsedNode | null | undefined {
    let node: ParsedNode | null = this.root;
    for (const step of path) {
      const slot = this.slotIn(node, step);
      if (slot === undefined) return undefined;
      node = slot.value;
    }
    return node;
  }

  /** The pair or item of a collection by its key or index. */
  slotIn(node: ParsedNode | null | undefined, key: string | number): Slot | undefined {
    if (!isCollection(node)) return undefined;
    const slots = this.slotsOf(node);
    return isSeq(node) ? slots[Number(key)] : slots.find(({ name }) => name === String(key));
  }

  slotsOf(collection: Collection): readonly Slot[] {
    const known = this.#slots.get(collection);
    if (known !== undefined) return known;
    const slots = isMap(collection)
      ? collection.items.map((pair) => this.#pairSlot(pair))
      : this.#itemSlots(collection);
    this.#slots.set(collection, slots);
    return slots;
  }

  #pairSlot(pair: Pair<ParsedNode, ParsedNode | null>): Slot {
    const key = isScalar(pair.key) ? pair.key : null;
    const { value } = pair;
    const { start: before, sep = [] } = pair.srcToken as CST.BlockMap['items'][number];
    const isExplicit = before.some(({ type }) => type === 'explicit-key-ind');
    const colon = sep.find(({ type }) => type === 'map-value-ind');
    const [start, keyEnd] = pair.key.range;
    const mark = colon === undefined || isExplicit ? null : colon.offset + 1;
    const end = value === null || isBlank(value) ? (mark ?? keyEnd) : this.endOf(value);
    return { name: key === null ? null : nameOf(key), key, value, start, mark, end };
  }

  #itemSlots(list: YAMLSeq.Parsed): Slot[] {
    const tokens = (list.srcToken as CST.BlockSequence | undefined)?.items ?? [];
    const dashes = tokens.flatMap(({ start }) => start.find(({ type }) => type === 'seq-item-ind') ?? []);
    return list.items.map((value, index): Slot => {
      const dash = list.flow === true ? undefined : dashes[index];
      const mark = dash === undefined ? null : dash.offset + 1;
      const start = dash?.offset ?? value.range[0];
      const end = mark !== null && isBlank(value) ? mark : this.endOf(value);
      return { name: null, key: null, value, start, mark, end };
    });
  }

  /** Behind the last character of a node, without its comment and the end of its line. */
  endOf(node: ParsedNode): number {
    if (isCollection(node) && node.flow !== true) {
      const last = this.slotsOf(node).at(-1);
      if (last !== undefined) return last.end;
    }
    const [start, end] = node.range;
    return isBlockScalar(node) && end > start ? end - lengthOf(this.text, end, /\r?\n$/) : end;
  }

  /** The start of the line with an offset. */
  lineStart(at: number): number {
    return this.text.lastIndexOf('\n', at - 1) + 1;
  }

  /** Where the line with an offset ends, before its line break. */
  lineEnd(at: number): number {
    const newline = this.text.indexOf('\n', at);
    if (newline === -1) return this.text.length;
    return this.text[newline - 1] === '\r' && newline > at ? newline - 1 : newline;
  }

  /** Where the line after an offset begins; the end of the text behind its last line. */
  nextLine(at: number): number {
    const newline = this.text.indexOf('\n', at);
    return newline === -1 ? this.text.length : newline + 1;
  }

  /** The number of characters before an offset in its line. */
  column(at: number): number {
    return at - this.lineStart(at);
  }

  /** Whether only spaces stand before an offset in its line. */
  beginsLine(at: number): boolean {
    return /^[ \t]*$/.test(this.text.slice(this.lineStart(at), at));
  }

  /** Whether nothing but a comment follows an offset in its line. */
  endsLine(at: number): boolean {
    return /^(?:[ \t]+#.*|[ \t]*)$/.test(this.text.slice(at, this.lineEnd(at)));
  }

  /**
   * Where the comment lines directly above an offset begin, at the same indentation; the start of
   * its own line if there are none.
   */
  commentsAbove(at: number): number {
    const column = this.column(at);
    let start = this.lineStart(at);
    while (start > 0) {
      const above = this.lineStart(start - 1);
      const line = this.text.slice(above, start);
      if (!line.startsWith('#', column) || line.slice(0, column).trim() !== '') return start;
      start = above;
    }
    return start;
  }
}

function lengthOf(text: string, end: number, pattern: RegExp): number {
  return pattern.exec(text.slice(Math.max(0, end - 2), end))?.[0].length ?? 0;
}

export function isCollection(node: unknown): node is Collection {
  return isMap(node) || isSeq(node);
}

/** A value that is not written: `key:`. */
function isBlank(node: ParsedNode): boolean {
  return isScalar(node) && node.range[0] === node.range[1];
}

/** A key as the reader names it: `1.0:` is the key `1.0`. */
export function nameOf(key: Scalar): string | null {
  if (typeof key.value === 'string') return key.value;
  return key.source === undefined || key.source === '' ? null : key.source;
}

/** The quotes of a scalar; null: it has none, or is none. */
export function quotesOf(node: unknown): '"' | "'" | null {
  if (!isScalar(node)) return null;
  return node.type === 'QUOTE_DOUBLE' ? '"' : node.type === 'QUOTE_SINGLE' ? "'" : null;
}

export function isBlockScalar(node: unknown): boolean {
  return isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
}

/** The value of a scalar; of a number that is written in another way, such as 1.0, its text. */
export function plainValue({ value, source }: Scalar): Json {
  if (typeof value === 'number') return String(value) === source ? value : (source ?? value);
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}
