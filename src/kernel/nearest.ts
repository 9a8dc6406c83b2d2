/**
 * How many letters one must insert, drop, change or swap with a neighbour to turn one word into the
 * other (optimal string alignment). Case counts.
 */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j - 1]! + 1, previous[j]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length]!;
}

/**
 * A normal form in which `In-Reply-To`, `inReplyTo` and `in_reply_to` are one word, and so are
 * `reply` and `replies`.
 */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[-_ .]/g, '')
    .replace(/ies$/, 'y')
    .replace(/(?<=..)s$/, '');
}

/** Longer names are not typing errors, and comparing them would take long. */
const longest = 64;

/**
 * The known name that was probably meant, or null when none is near: at most one letter in three
 * may differ, apart from case, hyphens and underscores. The first of equally near names wins.
 */
export function nearest(name: string, known: Iterable<string>): string | null {
  const wanted = plain(name);
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  if (wanted.length === 0 || wanted.length > longest) return null;
  for (const candidate of known) {
    if (candidate === name || Math.abs(candidate.length - name.length) > least + 2) continue;
    const away = distance(wanted, plain(candidate));
    if (away < least && away < candidate.length) {
      best = candidate;
      least = away;
    }
  }
  return best;
}

/** `did you mean …?` for the nearest of the known names, else null. */
export function didYouMean(name: string, known: Iterable<string>): string | null {
  const near = nearest(name, known);
  return near === null ? null : `did you mean \`${near}\`?`;
}
