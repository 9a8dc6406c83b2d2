/** Replaces the characters from `from` up to `to` of a source text. Offsets count UTF-16 units. */
export interface Patch {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The text after patches that are in order and do not overlap. */
export function applyPatches(text: string, patches: readonly Patch[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, insert } of patches) {
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}

/** The patches that undo others: applied to the changed text they yield `text`. */
export function invertPatches(text: string, patches: readonly Patch[]): Patch[] {
  let shift = 0;
  return patches.map(({ from, to, insert }) => {
    const start = from + shift;
    shift += insert.length - (to - from);
    return { from: start, to: start + insert.length, insert: text.slice(from, to) };
  });
}

/** A part of a changed text: a range of the original, or inserted text. */
type Piece = { readonly from: number; readonly to: number } | { readonly insert: string };

/** Patches of a source text that do what `first`, and then `second` on its result, do. */
export function composePatches(text: string, first: readonly Patch[], second: readonly Patch[]): Patch[] {
  const pieces = changed([{ from: 0, to: text.length }], first);
  const composed: Patch[] = [];
  let at = 0;
  let insert = '';
  for (const piece of [...changed(pieces, second), { from: text.length, to: text.length }]) {
    if ('insert' in piece) {
      insert += piece.insert;
      continue;
    }
    if (insert !== '' || piece.from > at) composed.push({ from: at, to: piece.from, insert });
    insert = '';
    at = piece.to;
  }
  return composed;
}

function changed(pieces: readonly Piece[], patches: readonly Patch[]): Piece[] {
  const result: Piece[] = [];
  let at = 0;
  for (const { from, to, insert } of patches) {
    result.push(...between(pieces, at, from), { insert });
    at = to;
  }
  return [...result, ...between(pieces, at, Number.POSITIVE_INFINITY)];
}

/** The parts of pieces between two offsets of the text that they make. */
function between(pieces: readonly Piece[], start: number, end: number): Piece[] {
  let at = 0;
  return pieces.flatMap((piece): Piece[] => {
    const length = 'insert' in piece ? piece.insert.length : piece.to - piece.from;
    const first = Math.max(0, start - at);
    const last = Math.min(length, end - at);
    at += length;
    if (first >= last) return [];
    if ('insert' in piece) return [{ insert: piece.insert.slice(first, last) }];
    return [{ from: piece.from + first, to: piece.from + last }];
  });
}
