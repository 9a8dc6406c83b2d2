import type { Json, JsonObject, Path } from '../kernel/json.ts';
import { ownValue, setOwn } from '../kernel/own.ts';
import { indentOf } from './plain-blocks.ts';
import { plainKey } from './plain-scalars.ts';
import { Source } from './source.ts';
import type { Range } from './yaml-nodes.ts';
import { normalized, readNodes, withPlaces, type Ranges, type YamlDocument } from './yaml.ts';

/*
 * A long text is read in parts: each entry of its mapping, and of a long block below such an entry,
 * is a YAML text of its own. A part that has not changed is not read again. The rule that keeps
 * this right: where there are parts, the parser reads the same from the whole text (property
 * tests compare them); every uncertain case is read as a whole. The reader of plain blocks gives no
 * places; here lines only bound what the parser reads.
 */

/** A key at the beginning of a line. */
const key = new RegExp(String.raw`(${plainKey}):(?=[ \n]|$)`, 'y');
const item = /-(?=[ \n]|$)/y;
/** The line of a key has no value. */
const noValue = /[\w.-]+: *(?:#[^\n]*)?(?:\n|$)/y;
/** Above this length, in characters, a block is read in parts. */
const long = 1_024;
/** How many characters of parts are kept: their nodes need about fifty times as much memory. */
const mostKept = 1_000_000;

/** One entry or one item. */
interface Part {
  /** The name of an entry; null: an item. */
  readonly name: string | null;
  /** The offset of its first line. */
  readonly start: number;
  /** The offset of its key or of its dash. */
  readonly at: number;
  readonly end: number;
}

interface Leaf {
  readonly value: Json;
  readonly ranges: Ranges;
}

/** The parts of a block. */
interface Branch {
  readonly value: Json;
  /** Marks the block. */
  readonly range: Range;
  /** By name or index. */
  readonly parts: ReadonlyMap<string, Branch | Placed>;
}

/** A leaf at an offset. Its own paths begin with its name, or with 0 for an item. */
interface Placed {
  readonly leaf: Leaf;
  readonly offset: number;
  readonly first: string | number;
}

/** The parts of YAML texts that were read, kept while they are used. */
export class ParsedParts {
  /** By their text, the least recently used first. */
  readonly #leaves = new Map<string, Leaf>();
  #kept = 0;

  /** The number of characters of what is kept. */
  get kept(): number {
    return this.#kept;
  }

  /** A document; null: it has errors, or it cannot be read in parts. */
  read(text: string, file: string): YamlDocument | null {
    const source = new Source(file, normalized(text));
    const parts = partsOf(source.text, 0, source.text.length);
    const [first] = parts ?? [];
    if (parts === null || first === undefined || first.name === null) return null;
    const root = this.#branch(source.text, parts, [first.at, source.text.length]);
    return root && withPlaces(source, root.value, rangesOf(root));
  }

  #branch(text: string, parts: readonly Part[], range: Range): Branch | null {
    const found = new Map<string, Branch | Placed>();
    const list: Json[] = [];
    const map: JsonObject = {};
    for (const part of parts) {
      const name = part.name ?? String(list.length);
      // The whole text says what is wrong with these keys.
      const isRefused = found.has(name) || name === '__proto__';
      const read = isRefused ? null : this.#part(text, part);
      if (read === null) return null;
      found.set(name, read.node);
      if (part.name === null) list.push(read.value);
      else setOwn(map, name, read.value);
    }
    return { value: parts[0]?.name === null ? list : map, range, parts: found };
  }

  #part(text: string, part: Part): { readonly node: Branch | Placed; readonly value: Json } | null {
    const { name, start, at, end } = part;
    const inner = name === null ? null : innerParts(text, part);
    if (inner !== null) {
      const node = this.#branch(text, inner, [at, at + name!.length]);
      return node && { node, value: node.value };
    }
    const leaf = this.#leaf(text.slice(start, end));
    if (leaf === null) return null;
    const first = name ?? 0;
    const value = ownValue(leaf.value as JsonObject | null, first);
    return value === undefined ? null : { node: { leaf, offset: start, first }, value };
  }

  #leaf(text: string): Leaf | null {
    const known = this.#leaves.get(text);
    if (known !== undefined) {
      this.#leaves.delete(text);
      this.#leaves.set(text, known);
      return known;
    }
    const read = readNodes(new Source('', text));
    if (!read.ok) return null;
    this.#leaves.set(text, read.value);
    this.#kept += text.length;
    for (const [oldest] of this.#leaves) {
      if (this.#kept <= mostKept) break;
      this.#leaves.delete(oldest);
      this.#kept -= oldest.length;
    }
    return read.value;
  }
}

/** The parts of a long block below a key; null: it is read as one. */
function innerParts(text: string, part: Part): readonly Part[] | null {
  return part.end - part.at < long ? null : partsBelow(text, part);
}

function partsBelow(text: string, { at, end }: Part): readonly Part[] | null {
  noValue.lastIndex = at;
  return noValue.test(text) ? partsOf(text, noValue.lastIndex, end) : null;
}

/**
 * Finds the lines of what is at a path of valid YAML, by how they begin: from its first
 * one until behind its last one with content. Null: that cannot be seen there.
 */
export function blockFinder(text: string): (path: Path) => Range | null {
  /** By the part that they are below; null: at the top. */
  const blocks = new Map<Part | null, ReadonlyMap<string, Part>>();
  const blockBelow = (above: Part | null): ReadonlyMap<string, Part> => {
    const known = blocks.get(above);
    if (known !== undefined) return known;
    const parts = above === null ? partsOf(text, 0, text.length) : partsBelow(text, above);
    const block = new Map(parts?.map((part, index) => [part.name ?? String(index), part]));
    blocks.set(above, block);
    return block;
  };
  return (path) => {
    let part: Part | null = null;
    for (const step of path) {
      part = blockBelow(part).get(String(step)) ?? null;
      if (part === null) return null;
    }
    if (part === null) return null;
    const end = contentEnd(text, part);
    return end === null ? null : [part.at, end];
  };
}

/**
 * The end of the last line of a part that is neither empty nor a comment. Null: an indented line
 * that looks like a comment ends it, which may be the text of a block.
 */
function contentEnd(text: string, { start, at, end }: Part): number | null {
  let to = end;
  for (;;) {
    const line = text.lastIndexOf('\n', to - 2) + 1;
    const content = text.slice(line, to).trimStart();
    const isComment = content.startsWith('#');
    if (line <= at || (content !== '' && !isComment)) break;
    if (isComment && to - line - content.length > at - start) return null;
    to = line;
  }
  return text[to - 1] === '\n' ? to - 1 : to;
}

/**
 * The entries or the items of the block in a range of lines; null: something in it may begin
 * elsewhere than it seems to.
 */
function partsOf(text: string, from: number, to: number): Part[] | null {
  const parts: { name: string | null; start: number; at: number; end: number }[] = [];
  let indent = -1;
  let isList = false;
  for (let line = from; line < to;) {
    const newline = text.indexOf('\n', line);
    const next = newline === -1 || newline >= to ? to : newline + 1;
    const at = line + indentOf(text, line);
    // A line without content, or only with a comment, belongs to the part before it.
    const isEmpty = at >= next || text[at] === '\n' || text[at] === '#';
    if (!isEmpty && (indent === -1 || at - line <= indent)) {
      if (indent === -1) [indent, isList] = [at - line, starts(item, text, at)];
      const name = isList ? null : nameAt(text, at);
      const isOther = isList ? !starts(item, text, at) : name === null;
      // The items of a list may be indented as the key that it belongs to.
      const isBelow = !isList && parts.length > 0 && starts(item, text, at);
      if (at - line < indent || (isOther && !isBelow)) return null;
      if (!isBelow) {
        const last = parts.at(-1);
        if (last !== undefined) last.end = line;
        parts.push({ name, start: line, at, end: to });
      }
    }
    line = next;
  }
  return parts.length === 0 ? null : parts;
}

function starts(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function nameAt(text: string, at: number): string | null {
  key.lastIndex = at;
  return key.exec(text)?.[1] ?? null;
}

/** The ranges of the whole text by those of its parts. */
function rangesOf(root: Branch): Ranges {
  const find = (
    path: Path,
  ): { readonly branch: Branch } | { readonly placed: Placed; readonly rest: Path } => {
    let branch = root;
    for (const [depth, step] of path.entries()) {
      const part = branch.parts.get(String(step));
      if (part === undefined) break;
      if ('leaf' in part) return { placed: part, rest: [part.first, ...path.slice(depth + 1)] };
      branch = part;
    }
    return { branch };
  };
  const moved = ({ offset }: Placed, [start, end]: Range): Range => [start + offset, end + offset];
  return {
    range: (path, part) => {
      const found = find(path);
      if ('branch' in found) return found.branch.range;
      return moved(found.placed, found.placed.leaf.ranges.range(found.rest, part));
    },
    rangeWithin: (path, start, end) => {
      const found = find(path);
      if ('branch' in found) return found.branch.range;
      return moved(found.placed, found.placed.leaf.ranges.rangeWithin(found.rest, start, end));
    },
    sourceOf: (path) => {
      const found = find(path);
      return 'branch' in found ? null : found.placed.leaf.ranges.sourceOf(found.rest);
    },
    isPlain: (path) => {
      const found = find(path);
      return 'placed' in found && found.placed.leaf.ranges.isPlain(found.rest);
    },
  };
}
