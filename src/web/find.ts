interface Findable {
  readonly kind: string;
  readonly text: string;
}

/** What has all the typed words, those whose text begins with them first; else in their order. */
export function rank<T extends Findable>(all: readonly T[], typed: string): T[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [...all];
  const scored = all.flatMap((each) => {
    const text = `${each.kind} ${each.text}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) return [];
    const own = each.text.toLowerCase();
    const first = words[0] ?? '';
    return [{ each, score: own.startsWith(first) ? 0 : own.includes(` ${first}`) ? 1 : 2 }];
  });
  return scored.toSorted((a, b) => a.score - b.score).map(({ each }) => each);
}
