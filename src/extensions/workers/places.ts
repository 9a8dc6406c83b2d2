import { dirname } from 'node:path';

/** Where something lies on one host, and where on another; absolute paths. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

/**
 * A path on the other host: by the deepest folder that is known, of equal ones the last; null: it
 * lies in none.
 */
export function movedPath(path: string, moved: readonly Moved[]): string | null {
  const fits = moved.filter(({ from }) => path === from || path.startsWith(`${from}/`));
  const deepest = fits.toSorted((one, other) => one.from.length - other.from.length).at(-1);
  return deepest === undefined ? null : deepest.to + path.slice(deepest.from.length);
}

/** A text in which paths of one host are those of another. */
export function movedText(text: string, moved: readonly Moved[]): string {
  const places = new Map(moved.map(({ from, to }) => [from, to]));
  const longest = [...places.keys()].toSorted((one, other) => other.length - one.length);
  const either = longest.map((from) => from.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // Not the beginning of a longer name.
  const pattern = new RegExp(`(?:${either.join('|')})(?![\\w-])`, 'g');
  return text.replaceAll(pattern, (from) => places.get(from) ?? from);
}

/** The folders that paths may be written in: where they do not lie in one of these, their own. */
export function rootsOf(paths: readonly string[], ...known: readonly string[]): string[] {
  const isKnown = (path: string) => known.some((root) => path.startsWith(`${root}/`));
  return [...known, ...paths.filter((path) => !isKnown(path)).map(dirname)];
}
