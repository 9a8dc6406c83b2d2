import { wordsIn } from '../kernel/words.ts';

interface Findable {
  readonly kind: string;
  readonly text: string;
  /** It matches by what is not shown of it. */
  readonly isFound?: boolean;
}

/**
 * What matches all the typed words, the best first: those whose text begins so, then those with a
 * word that begins so, then those that have it anywhere, then those that only have its letters in
 * this order. What matches equally well keeps its order.
 */
export function rank<T extends Findable>(all: readonly T[], typed: string): T[] {
  const words = wordsIn(typed);
  const scored = all.flatMap((each) => {
    const scores = words.map((word) => scoreOf(each, word));
    return scores.includes(null)
      ? []
      : [{ each, score: scores.reduce<number>((sum, score) => sum + (score ?? 0), 0) }];
  });
  return scored.toSorted((a, b) => a.score - b.score).map(({ each }) => each);
}

/** 0 is best; null: it does not match. */
function scoreOf({ kind, text, isFound = false }: Findable, word: string): number | null {
  const own = text.toLowerCase();
  if (own.startsWith(word)) return 0;
  if (own.includes(` ${word}`)) return 1;
  if (own.includes(word) || kind.startsWith(word)) return 2;
  if (isFound) return 3;
  return hasLetters(own, word) ? 4 : null;
}

function hasLetters(text: string, word: string): boolean {
  let at = 0;
  for (const letter of word) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
