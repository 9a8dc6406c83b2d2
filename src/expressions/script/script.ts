import type { Language } from '../language.ts';
import type { Read } from '../problem.ts';
import { BashScanner } from './bash-scanner.ts';
import { Replacements, type Script } from './script-replacements.ts';

export type { Script };

/**
 * Replaces each expression of a script with a reference to an environment variable that bash reads
 * as one word, for every value. No value ever becomes part of the script. An expression where bash
 * would not read the reference, or would execute the value, is a problem. Leaves comments and
 * `\${{` unchanged. Never throws.
 */
export function readScript(text: string, language: Language): Read<Script> {
  const replacements = new Replacements(text, language);
  new BashScanner(text, replacements).scan();
  return replacements.result();
}
