import type { Json, JsonObject } from '../kernel/json.ts';
import { plainKey, put, readLine, withoutEnd } from './plain-scalars.ts';

/*
 * A fast reader for plain YAML: keys and values on lines of their own. So are large definitions
 * that programs write, and most front matter. Planning 10,000 steps keeps to its budget only by
 * this reader (docs/contributing/performance.md). The rule that keeps this right: whatever is read
 * here, the parser reads the same (property tests compare them); every uncertain case is "not
 * plain".
 */

const entry = new RegExp(String.raw`^(${plainKey}):(?: +(.*))?$`);
/** Characters for which YAML has special rules. */
const strange = /[^\n\P{Cc}]|[\p{Cs}\u2028\u2029\ufeff]/u;
const deepest = 50;

/** The value of a plain text; null where it is not plain, or not a mapping. */
export function readPlainText(text: string): JsonObject | null {
  if (!text.endsWith('\n') || strange.test(text)) return null;
  const lines = new Lines(text);
  lines.skip();
  const value = lines.indent() === 0 ? lines.readMap(0, 0) : undefined;
  return value !== undefined && lines.ended() ? value : null;
}

class Lines {
  readonly #lines: string[];
  #at = 0;
  /** The indentation of the current line; -1 after the last. */
  #current = -1;

  constructor(text: string) {
    this.#lines = text.split('\n');
    this.#lines.pop();
  }

  ended(): boolean {
    return this.#at >= this.#lines.length;
  }

  indent(): number {
    return this.#current;
  }

  /** Moves to the next line with content, starting at this one. */
  skip(): void {
    for (; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#lines[this.#at]!;
      const indent = indentOf(line);
      if (indent === line.length || line[indent] === '#') continue;
      this.#current = indent;
      return;
    }
    this.#current = -1;
  }

  #next(): void {
    this.#at += 1;
    this.skip();
  }

  readMap(indent: number, depth: number): JsonObject | undefined {
    if (depth > deepest) return undefined;
    const map: JsonObject = {};
    while (this.#current === indent) {
      const match = entry.exec(this.#lines[this.#at]!.slice(indent));
      if (match === null) return undefined;
      const value = this.#readValue(match[2] ?? '', indent, depth, true);
      if (value === undefined || !put(map, match[1]!, value)) return undefined;
    }
    return this.#current < indent ? map : undefined;
  }

  #readList(indent: number, depth: number): Json[] | undefined {
    if (depth > deepest) return undefined;
    const list: Json[] = [];
    while (this.#current === indent && this.#lines[this.#at]!.startsWith('- ', indent)) {
      const line = this.#lines[this.#at]!;
      const inner = indent + 2 + indentOf(line.slice(indent + 2));
      const isMap = entry.test(line.slice(inner));
      let value: Json | undefined;
      if (isMap) {
        // The mapping begins on the line of the mark: the mark counts as indentation.
        this.#lines[this.#at] = ' '.repeat(inner) + line.slice(inner);
        this.#current = inner;
        value = this.readMap(inner, depth + 1);
      } else value = this.#readValue(line.slice(inner), indent, depth, false);
      if (value === undefined) return undefined;
      list.push(value);
    }
    return list;
  }

  /** The value that begins on the current line, after a key or a mark with this indentation. */
  #readValue(rest: string, indent: number, depth: number, isEntry: boolean): Json | undefined {
    const text = rest.startsWith('#') ? '' : withoutEnd(rest);
    if (text === '|' || text === '|-') return this.#readLiteral(indent, text === '|-');
    this.#next();
    if (text !== '') return this.#current > indent ? undefined : readLine(text);
    if (!isEntry) return undefined;
    const line = this.#lines[this.#at] ?? '';
    const isList = this.#current >= indent && line.startsWith('- ', this.#current);
    if (isList) return this.#readList(this.#current, depth + 1);
    return this.#current > indent ? this.readMap(this.#current, depth + 1) : null;
  }

  #readLiteral(indent: number, isStripped: boolean): string | undefined {
    const found: string[] = [];
    let inner = 0;
    for (this.#at += 1; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#lines[this.#at]!;
      const own = indentOf(line);
      if (own === line.length) {
        // Before the first line with content, more spaces than that line has would be an error.
        if (inner === 0 && own > 0) return undefined;
        found.push(line.slice(inner));
        continue;
      }
      if (own <= indent) break;
      if (inner === 0) inner = own;
      if (own < inner) return undefined;
      found.push(line.slice(inner));
    }
    if (inner === 0) return undefined;
    while (found.at(-1) === '') found.pop();
    this.skip();
    return found.join('\n') + (isStripped ? '' : '\n');
  }
}

/** How many spaces there are from an offset on. */
export function indentOf(text: string, from = 0): number {
  let at = from;
  while (text.charCodeAt(at) === 32) at += 1;
  return at - from;
}
