import type { Place } from './markdown.ts';

/** Names that the code has and a page explains: each of them must be in both. */
export interface NamesInCodeAndDocs {
  readonly what: string;
  readonly code: string;
  readonly page: string;
  /** Global patterns; a name is the first group, or the whole match where there is none. */
  readonly inCode: RegExp;
  readonly onPage: RegExp;
}

/** To hold another kind of name (commands, events, …) to its page, add a row. */
export const comparisons: readonly NamesInCodeAndDocs[] = [
  {
    what: 'error codes',
    code: 'src/kernel/errors.ts',
    page: 'docs/errors.md',
    inCode: /\bE_[A-Z][A-Z0-9_]*\b/g,
    onPage: /\bE_[A-Z][A-Z0-9_]*\b/g,
  },
  {
    what: 'codes of `why`',
    code: 'src/kernel/why.ts',
    page: 'docs/troubleshooting.md',
    inCode: /^ {2}'([a-z_]+)',$/gm,
    onPage: /^\| `([a-z_]+)`/gm,
  },
];

/** Says of each name that is in one of the two alone where it is missing; empty until both files exist. */
export function findMissingNames(names: NamesInCodeAndDocs, place: Place): string[] {
  if (!place.exists(names.code) || !place.exists(names.page)) return [];
  const inCode = namesIn(place.read(names.code), names.inCode);
  const onPage = namesIn(place.read(names.page), names.onPage);
  return [
    ...[...inCode].filter((name) => !onPage.has(name)).map((name) => `${name} is not in ${names.page}`),
    ...[...onPage].filter((name) => !inCode.has(name)).map((name) => `${name} is not in ${names.code}`),
  ];
}

function namesIn(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map((found) => found[1] ?? found[0]));
}
