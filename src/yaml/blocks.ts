import type { Path } from '../kernel/json.ts';
import { indentOf } from './plain-blocks.ts';
import { plainKey } from './plain-scalars.ts';
import type { Range } from './yaml-nodes.ts';

/* Where the blocks of valid YAML are, seen by how their lines begin, without parsing them. */

/** A key at the beginning of a line. */
const key = new RegExp(String.raw`(${plainKey}):(?=[ \n]|$)`, 'y');
const item = /-(?=[ \n]|$)/y;
/** The line of a key has no value. */
const noValue = /[\w.-]+: *(?:#[^\n]*)?(?:\n|$)/y;

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

/**
 * Finds the entries or items of a block by their names or indexes: that below an entry, or at the
 * top (null). Empty where they cannot be seen.
 */
export function partFinder(text: string): (above: Part | null) => ReadonlyMap<string, Part> {
  const blocks = new Map<Part | null, ReadonlyMap<string, Part>>();
  return (above) => {
    const known = blocks.get(above);
    if (known !== undefined) return known;
    const parts = above === null ? partsOf(text, 0, text.length) : partsBelow(text, above);
    const block = new Map(parts?.map((part, index) => [part.name ?? String(index), part]));
    blocks.set(above, block);
    return block;
  };
}

function partsBelow(text: string, { at, end }: Part): readonly Part[] | null {
  noValue.lastIndex = at;
  return noValue.test(text) ? partsOf(text, noValue.lastIndex, end) : null;
}

/**
 * Finds the lines of what is at a path of valid YAML, by how they begin: from its first one until
 * behind its last one with content. Null: that cannot be seen there.
 */
export function blockFinder(text: string): (path: Path) => Range | null {
  const partsIn = partFinder(text);
  return (path) => {
    let part: Part | null = null;
    for (const step of path) {
      part = partsIn(part).get(String(step)) ?? null;
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
