import { isMap, isScalar, isSeq } from 'yaml';
import type { Node, Pair, ParsedNode, YAMLMap } from 'yaml';
import type { Diagnostic } from '../kernel/diagnostic.ts';
import { isExactNumber, type Json, type JsonObject, type Path } from '../kernel/json.ts';
import { setOwn } from '../kernel/own.ts';
import type { Source } from './source.ts';
import { sourceOffset } from './yaml-scalars.ts';

type Parsed = ParsedNode | Node | null | undefined;
/** From an offset in the text until before another one. */
export type Range = readonly [number, number];

function rangeOf(node: Parsed): Range | null {
  const range = node?.range;
  return range ? [range[0], range[1]] : null;
}

/** Whether a mark below the value shows what is meant: it is neither a block of lines nor empty. */
function isShort(node: unknown): boolean {
  if (isMap(node) || isSeq(node)) return node.flow === true;
  const range = rangeOf(node as Parsed);
  return range !== null && range[1] > range[0];
}

/** A key in its author's spelling: `1.0:` is the key `1.0`. */
function keyText(key: unknown): string | null {
  if (!isScalar(key)) return null;
  if (typeof key.value === 'string') return key.value;
  return key.source === undefined || key.source === '' ? null : key.source;
}

function isKeptExactly(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  return /^0[xo]/.test(source) ? BigInt(source) === BigInt(value) : isExactNumber(source);
}

/** Converts the nodes of one document to plain values, and paths to ranges of its text. */
export class Reader {
  readonly problems: Diagnostic[] = [];
  readonly #source: Source;
  /** The place of each key of a mapping; computed when a place in that mapping is first needed. */
  readonly #pairs = new Map<YAMLMap, Map<string, Pair>>();

  constructor(source: Source) {
    this.#source = source;
  }

  read(node: unknown): Json {
    if (isMap(node)) return this.#readMap(node);
    if (isSeq(node)) return node.items.map((item) => this.read(item));
    if (!isScalar(node)) return null;
    const { value } = node;
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value !== 'number') return null;
    if (!isKeptExactly(value, node.source ?? '')) {
      const message = `\`${node.source}\` is a number that cannot be kept exactly`;
      this.#problem('E_YAML', message, rangeOf(node), 'quote it if it is a string');
    }
    return value === 0 ? 0 : value;
  }

  #readMap(map: YAMLMap): JsonObject {
    const object: JsonObject = {};
    const seen = new Map<string, Range | null>();
    for (const { key, value } of map.items) {
      const name = keyText(key);
      const range = rangeOf(key as Parsed) ?? rangeOf(map);
      if (name === null || name === '__proto__') {
        const message = name === null ? 'a key must be a string' : 'a key cannot be `__proto__`';
        this.#problem('E_YAML', message, range, null);
        continue;
      }
      const first = seen.get(name);
      if (first !== undefined) {
        const line = this.#source.place(first?.[0] ?? 0, 0).line;
        this.#problem(
          'E_DUPLICATE',
          `the key \`${name}\` is given twice`,
          range,
          `the first one is on line ${line}`,
        );
      }
      seen.set(name, range);
      setOwn(object, name, this.read(value));
    }
    return object;
  }

  #problem(code: 'E_YAML' | 'E_DUPLICATE', message: string, range: Range | null, hint: string | null): void {
    const place = this.#source.place(range?.[0] ?? 0, range?.[1] ?? 1);
    this.problems.push({ code, severity: 'error', message, place, hint });
  }

  range(root: Parsed, path: Path, part: 'key' | 'value' = 'value'): Range {
    const { node, key, whole } = this.#find(root, path);
    const isKey = part === 'key' || (!whole && isMap(node)) || !isShort(node);
    return rangeOf((key !== null && isKey ? key : node) as Parsed) ?? [0, 1];
  }

  /** A range of the string at a path; the whole value where it is not a string. */
  rangeWithin(root: Parsed, path: Path, start: number, end: number): Range {
    const { node, whole } = this.#find(root, path);
    if (!whole || !isScalar(node) || typeof node.value !== 'string') return this.range(root, path);
    const first = sourceOffset(node, this.#source.text, start, 'start');
    return [first, Math.max(first + 1, sourceOffset(node, this.#source.text, end, 'end'))];
  }

  /**
   * The literal word at a path, before conversion to a number or the like; null where the value is
   * not a single word.
   */
  sourceOf(root: Parsed, path: Path): string | null {
    const { node, whole } = this.#find(root, path);
    return whole && isScalar(node) ? (node.source ?? null) : null;
  }

  isPlain(root: Parsed, path: Path): boolean {
    const { node, whole } = this.#find(root, path);
    return whole && isScalar(node) && node.type === 'PLAIN';
  }

  /** The nearest node on the path; `whole` when the path was followed to its end. */
  #find(root: Parsed, path: Path): { node: unknown; key: unknown; whole: boolean } {
    let node: unknown = root;
    let key: unknown = null;
    for (const step of path) {
      const pair = isMap(node) ? this.#pairsOf(node).get(String(step)) : undefined;
      const item = isSeq(node) ? node.items[Number(step)] : undefined;
      if (pair === undefined && item === undefined) return { node, key, whole: false };
      key = pair?.key ?? null;
      node = pair === undefined ? item : pair.value;
    }
    return { node, key, whole: true };
  }

  #pairsOf(map: YAMLMap): Map<string, Pair> {
    let pairs = this.#pairs.get(map);
    if (pairs === undefined) {
      pairs = new Map(map.items.map((pair) => [keyText(pair.key) ?? '', pair]));
      this.#pairs.set(map, pairs);
    }
    return pairs;
  }
}
