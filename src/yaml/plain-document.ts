import type { JsonObject, Path } from '../kernel/json.ts';
import { ownValue } from '../kernel/own.ts';
import { partFinder } from './blocks.ts';
import { readPlainText } from './plain-blocks.ts';
import { Source } from './source.ts';
import { readNodes, withPlaces, type Ranges, type YamlDocument } from './yaml.ts';
import type { Range } from './yaml-nodes.ts';

/** Above this length, in characters, the blocks below a key are parsed one at a time. */
const long = 1_024;

/**
 * A document that is read without the YAML parser; null where it is not plain. Only the blocks
 * around places that are asked for are parsed, since most documents have no errors.
 */
export function readPlain(text: string, file: string, firstLine = 1): YamlDocument | null {
  const value = readPlainText(text);
  return value && withPlaces(new Source(file, text, firstLine), value, rangesIn(text, value));
}

function rangesIn(text: string, value: JsonObject): Ranges {
  const find = blockParser(text);
  const within = (path: Path, ask: (ranges: Ranges, inner: Path) => Range): Range => {
    const { range, parsed, inner } = find(path);
    if (parsed === null) return range;
    const [start, end] = ask(parsed.ranges, inner);
    return [start + parsed.offset, end + parsed.offset];
  };
  return {
    range: (path, part) => within(path, (ranges, inner) => ranges.range(inner, part)),
    rangeWithin: (path, start, end) => within(path, (ranges, inner) => ranges.rangeWithin(inner, start, end)),
    isPlain: (path) => {
      const { parsed, inner } = find(path);
      return parsed?.ranges.isPlain(inner) === true;
    },
    // Unquoted numbers are integers here, whose source text equals their value.
    sourceOf: (path) => {
      let found: unknown = value;
      for (const key of path) found = ownValue(found as Record<string, unknown> | undefined, key);
      return ['string', 'number', 'boolean'].includes(typeof found) ? String(found) : null;
    },
  };
}

/** The smallest block around a path. */
interface Block {
  /** Marks the block. */
  readonly range: Range;
  /** Null: its mark is the answer, because nothing in it is on the path. */
  readonly parsed: { readonly ranges: Ranges; readonly offset: number } | null;
  /** The path in what was parsed: it begins with the name of the block, or with 0 for an item. */
  readonly inner: Path;
}

/** Finds blocks, and parses each at most once. */
function blockParser(text: string): (path: Path) => Block {
  const partsIn = partFinder(text);
  const known = new Map<number, Block['parsed']>();
  const parse = (offset: number, end: number): Block['parsed'] => {
    const before = known.get(offset);
    if (before !== undefined) return before;
    const read = readNodes(new Source('', text.slice(offset, end)));
    const parsed = read.ok ? { ranges: read.value.ranges, offset } : null;
    known.set(offset, parsed);
    return parsed;
  };
  return (path) => {
    let parts = partsIn(null);
    let range: Range = [[...parts.values()][0]?.at ?? 0, text.length];
    for (const [depth, step] of path.entries()) {
      const part = parts.get(String(step));
      if (part === undefined) break;
      const { name, start, at, end } = part;
      range = [at, at + (name ?? '-').length];
      parts = end - at < long ? new Map() : partsIn(part);
      if (parts.size > 0) continue;
      return { range, parsed: parse(start, end), inner: [name ?? 0, ...path.slice(depth + 1)] };
    }
    return { range, parsed: null, inner: [] };
  };
}
