const header = 12;
/** The times, numbers, mode, owners and size of an entry. */
const stats = 40;
const modeAt = 24;
/** `--assume-unchanged`; or more flags follow: `--skip-worktree`, `--intent-to-add`. */
const marked = 0xc000;
const longName = 0xfff;

/**
 * Whether git looks at every file that an index lists, and each is a file or a link: there is no
 * submodule, no folder that a sparse checkout leaves out, no mark on a file. False for an index
 * that this does not understand. The format: `gitformat-index(5)`. `hash`: the bytes of an object's
 * name.
 */
export function isPlainIndex(index: Buffer, hash: number): boolean {
  const end = index.length - hash;
  const at = pastEntries(index, hash);
  return at !== null && hasOptionalExtensions(index, at, end);
}

/**
 * The tree of all files that a plain index lists, where git has noted it there; null: it has not,
 * or something has changed since, or the index is not plain.
 */
export function treeInIndex(index: Buffer, hash: number): string | null {
  const end = index.length - hash;
  let at = isPlainIndex(index, hash) ? (pastEntries(index, hash) ?? end) : end;
  while (at + 8 <= end && index.toString('latin1', at, at + 4) !== 'TREE')
    at += 8 + index.readUInt32BE(at + 4);
  if (at + 8 > end) return null;
  // The name of the top folder, which is empty; its files and folders; its tree, if it is valid.
  const line = index.indexOf('\n', at + 8);
  if (!/^\0\d+ \d+$/.test(index.toString('latin1', at + 8, line))) return null;
  return index.toString('hex', line + 1, line + 1 + hash);
}

/** Where its entries end; null: one of them is not plain. */
function pastEntries(index: Buffer, hash: number): number | null {
  const end = index.length - hash;
  if (end < header || index.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  let at = header;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const name = at + stats + hash + 2;
    if (name >= end || !isPlainEntry(index, at, name - 2)) return null;
    const after = version === 4 ? index.indexOf(0, pastNumber(index, name)) + 1 : padded(index, at, name);
    if (after <= at) return null;
    at = after;
  }
  return at;
}

function isPlainEntry(index: Buffer, at: number, flagsAt: number): boolean {
  const kind = index.readUInt32BE(at + modeAt) >> 12;
  return (kind === 0o10 || kind === 0o12) && (index.readUInt16BE(flagsAt) & marked) === 0;
}

/** Where the next entry begins: at a multiple of eight bytes, after at least one zero. */
function padded(index: Buffer, at: number, name: number): number {
  const short = index.readUInt16BE(name - 2) & longName;
  const length = short < longName ? short : index.indexOf(0, name) - name;
  return length < 0 ? 0 : at + ((name - at + length + 8) & ~7);
}

/** Behind a number of variable length: how much of the name before the next one repeats. */
function pastNumber(index: Buffer, at: number): number {
  let last = at;
  while (last < index.length && (index[last]! & 0x80) !== 0) last += 1;
  return last + 1;
}

/** Others say where entries are missing here: in another file, or in a folder. */
function hasOptionalExtensions(index: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end) {
    if (!/^[A-Z]$/.test(String.fromCharCode(index[at]!))) return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}
