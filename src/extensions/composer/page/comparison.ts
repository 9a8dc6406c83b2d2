import type { Hunk, PatchLine } from '../../../web/patch.ts';

/** Lines that are shown before and after a change. */
const around = 3;
/** Pairs of lines that are compared at most; where there are more, a change may be shown larger. */
const mostPairs = 16_000_000;

/** The lines that differ between two texts, with those around them. */
export function hunksBetween(before: string, after: string): Hunk[] {
  const lines = comparedLines(linesOf(before), linesOf(after));
  const hunks: PatchLine[][] = [];
  let last = -1;
  for (const [at, line] of lines.entries()) {
    const near = lines.slice(Math.max(0, at - around), at + around + 1);
    if (near.every(({ kind }) => kind === 'same')) continue;
    if (hunks.length === 0 || last < at - 1) hunks.push([]);
    hunks.at(-1)!.push(line);
    last = at;
  }
  return hunks.map((own) => ({ head: `line ${String(own[0]!.after ?? own[0]!.before)}`, lines: own }));
}

/** Each with its end. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function comparedLines(before: readonly string[], after: readonly string[]): PatchLine[] {
  let [left, right] = [0, 0];
  return kindsOf(before, after).map((kind) => {
    const line = (kind === 'added' ? after[right] : before[left])!;
    return {
      kind,
      text: line.replace(/\n$/, ''),
      before: kind === 'added' ? null : (left += 1),
      after: kind === 'removed' ? null : (right += 1),
      isUnended: !line.endsWith('\n'),
    };
  });
}

/** What becomes of each line, in their order: as few as possible are changed. */
function kindsOf(before: readonly string[], after: readonly string[]): PatchLine['kind'][] {
  const least = Math.min(before.length, after.length);
  let [start, end] = [0, 0];
  while (start < least && before[start] === after[start]) start += 1;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const old = before.slice(start, before.length - end);
  const own = after.slice(start, after.length - end);
  const common = commonLines(old, own);
  const kinds: PatchLine['kind'][] = Array.from({ length: start }, () => 'same');
  for (let [left, right] = [0, 0]; left < old.length || right < own.length;) {
    const isSame = left < old.length && old[left] === own[right];
    const isRemoved =
      right === own.length || (left < old.length && common(left + 1, right) >= common(left, right + 1));
    kinds.push(isSame ? 'same' : isRemoved ? 'removed' : 'added');
    if (isSame || isRemoved) left += 1;
    if (isSame || !isRemoved) right += 1;
  }
  return kinds.concat(Array.from({ length: end }, () => 'same' as const));
}

/** How many lines two lists have in common from two places on, in order. */
function commonLines(a: readonly string[], b: readonly string[]): (from: number, to: number) => number {
  if (a.length * b.length > mostPairs) return () => 0;
  const width = b.length + 1;
  const counts = new Uint16Array((a.length + 1) * width);
  for (let from = a.length - 1; from >= 0; from -= 1)
    for (let to = b.length - 1; to >= 0; to -= 1)
      counts[from * width + to] =
        a[from] === b[to]
          ? counts[(from + 1) * width + to + 1]! + 1
          : Math.max(counts[(from + 1) * width + to]!, counts[from * width + to + 1]!);
  return (from, to) => counts[from * width + to]!;
}
