import { commonFunctions } from '../../expressions/functions.ts';
import { machineFunctions } from '../../expressions/machine-functions.ts';
import type { Language } from '../../expressions/language.ts';

/** What every expression of a native workflow may read. */
export const namespaces = ['parameters', 'steps', 'env', 'run', 'workflow', 'context', 'trigger'] as const;

/** What the steps of a loop may read besides. */
export const loopNamespaces = ['item', 'loop'] as const;

/** The expressions of the native language, as they stand outside of loops. */
export const nativeLanguage: Language = {
  namespaces,
  functions: [...commonFunctions, ...machineFunctions],
  comparing: 'loose',
  results: { namespace: 'steps', status: 'status' },
  dollar: false,
};

/**
 * What the machine evaluates, whichever language it was written in: names and functions were checked by its reader. What a step
 * does not hand over and a parameter that was not given read as null.
 */
export const machineLanguage: Language = { ...nativeLanguage, optional: ['steps', 'parameters'] };

/** The same inside a loop, whose item has one more name; null: it has no items. */
export function insideLoop(language: Language, item: string | null): Language {
  const own = item === null ? ['loop'] : [...loopNamespaces, item];
  return { ...language, namespaces: [...new Set([...language.namespaces, ...own])] };
}
