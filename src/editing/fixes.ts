import type { Diagnostic } from '../kernel/diagnostic.ts';

/** A change of the marked text that a diagnostic proposes. */
interface Fix {
  readonly title: string;
  /** Line and columns as in a `Place`. */
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  readonly insert: string;
}

/** The changes that the hint of a diagnostic names: the words that were probably meant. */
export function fixesOf({ place, hint }: Diagnostic): readonly Fix[] {
  const meant = /did you mean ((?:`[^`]+`(?:, | or )?)+)\?/.exec(hint ?? '')?.[1];
  if (place === null || meant === undefined) return [];
  const marked = place.text.slice(place.column - 1, place.column - 1 + place.length);
  const quote = /^(["']).*\1$/.exec(marked)?.[1] ?? '';
  return [...meant.matchAll(/`([^`]+)`/g)].map(([, word = '']) => ({
    title: `Replace with ${word}`,
    line: place.line,
    column: place.column,
    endColumn: place.column + place.length,
    insert: quote + word + quote,
  }));
}
