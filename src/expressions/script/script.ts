import type { Language } from '../language.ts';
import type { Read } from '../problem.ts';
import { BashScanner } from './bash-scanner.ts';
import { Replacements, type Script } from './script-replacements.ts';

export type { Script };

/**
 * Takes the expressions out of a script: each becomes a variable of the environment, and its place a reference that bash
 * reads as one word, whatever the value is. No value ever becomes part of the script. An expression in a place where bash
 * would not read the reference, or would run what the value says, is a problem. Comments are left as they are, and so
 * is `\${{`. Never throws.
 */
export function readScript(text: string, language: Language): Read<Script> {
  const replacements = new Replacements(text, language);
  new BashScanner(text, replacements).scan();
  return replacements.result();
}
