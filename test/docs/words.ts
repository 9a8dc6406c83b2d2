import type { Prose } from './prose.ts';

/** Words that are not the field's, with what to write instead, and where one of them is right all the same. */
export const words: readonly {
  readonly found: RegExp;
  readonly write: string;
  readonly allowed?: RegExp;
}[] = [
  { found: /\bmend(s|ed|ing)?\b/i, write: 'fix, repair, correct' },
  { found: /\b(go|goes|going|gone|went) on\b/i, write: 'continue, resume' },
  { found: /\bfor (ever|good)\b/i, write: 'forever, permanently' },
  {
    found: /\b(tells?|telling|told)\b/i,
    write: 'report, print, notify, receive',
    // The key of hooks, and a file.
    allowed: /\btell(: <|\.ts)/,
  },
  { found: /\binstants?\b/i, write: 'time, timestamp' },
  { found: /\blimits? of use\b|\bat (its|their) limits?\b/i, write: 'usage limit, rate limited' },
  { found: /\b(rights|a right|the right|no right)\b/i, write: 'permission' },
  { found: /\b(stand-ins?|st(and|ands|ood) in for)\b/i, write: 'fallback' },
  {
    found: /\b(widen(s|ed|ing)?|unheld|held to)\b/i,
    write: 'broader than requested, not enforced, restricted to',
    // The value of `capabilities` in mailroom.yaml.
    allowed: /capabilities: widen|widen, the default/,
  },
  { found: /\bwhat is there\b|\bas (it|they) stands?\b/i, write: 'existing, unchanged' },
  { found: /\bby (itself|themselves)\b/i, write: 'automatically, alone' },
  { found: /\b(take|takes|taken|took|taking) (up|in)\b/i, write: 'pick up, accept' },
  { found: /\bin doubt\b/i, write: 'ambiguous, uncertain' },
  { found: /\b(purse|dearest)\b/i, write: 'credit, most expensive' },
  { found: /\btime of \S+ is over\b/i, write: 'timed out' },
  { found: /\b(may not|nobody may|none may)\b/i, write: 'must not, is not allowed' },
  { found: /\ba (text(?! file|-| store)|map)\b/, write: 'a string, a mapping' },
  { found: /(?<!\b(there|here|where) )\bis no\b(?! (longer|more))/i, write: 'is not a' },
  { found: /\b(names|fits|listens to) nothing\b/i, write: 'was not found, is not listening' },
  { found: /\b(kept compiled|of (ours|yours))\b/i, write: 'compiled cache, our, your' },
  { found: /\b(nobody|whoever|whomever)\b/i, write: 'the actor' },
];

/** The places of such words, as `file:line word: what to write`. */
export function findWords(prose: readonly Prose[]): string[] {
  return prose.flatMap(({ file, line, text }) =>
    words.flatMap(({ found, write, allowed }) => {
      const word = found.exec(text)?.[0];
      return word === undefined || allowed?.test(text) === true ? [] : [`${file}:${line} ${word}: ${write}`];
    }),
  );
}
