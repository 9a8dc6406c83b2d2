import {
  combineTextAndLanguageSettings,
  finalizeSettings,
  getDefaultBundledSettingsAsync,
  getDictionary,
  loadConfig,
  mergeSettings,
} from 'cspell-lib';
import { fileURLToPath } from 'node:url';
import type { Prose } from './prose.ts';

const ours = fileURLToPath(new URL('../../cspell.json', import.meta.url));

/** Answers whether a word is English as the British spell it, a term of software, or in cspell.json. */
export async function loadDictionary(): Promise<(word: string) => boolean> {
  const settings = mergeSettings(await getDefaultBundledSettingsAsync(), await loadConfig(ours));
  const final = finalizeSettings(combineTextAndLanguageSettings(settings, '', []));
  // Those of American English, companies and products take seconds to load.
  const dictionary = await getDictionary({
    ...final,
    dictionaries: ['en-gb', 'softwareTerms', 'computing-acronyms'],
  });
  return (word) => dictionary.has(word, { ignoreCase: true });
}

/** The words of a text: parts of names, of at least four letters. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/https?:\S+|`[^`]*`|\$\{[^}]*\}|[\w.-]*[/_\d@][\w./@-]*/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}'’]+/u)
    .map((word) => word.replace(/^['’]+|['’]s?$|['’]+$/g, ''))
    .filter((word) => word.length > 3);
}

/** Words that are in no dictionary, each with the first place where it stands. */
export function misspelt(prose: readonly Prose[], known: (word: string) => boolean): string[] {
  const places = new Map<string, string>();
  for (const { file, line, text } of prose)
    for (const word of wordsOf(text)) if (!places.has(word)) places.set(word, `${file}:${line} ${word}`);
  return [...places].filter(([word]) => !known(word)).map(([, place]) => place);
}
