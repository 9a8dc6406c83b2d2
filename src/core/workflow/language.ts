import { commonFunctions } from '../expression/functions.ts';
import { exists, machineFunctions, matching, required } from '../expression/machine-functions.ts';
import type { Language } from '../expression/language.ts';

/** What every expression of a native workflow may read. */
export const namespaces = ['parameters', 'steps', 'env', 'run', 'workflow', 'context', 'trigger'] as const;

/** What the steps of a loop may read besides. */
export const loopNamespaces = ['item', 'loop'] as const;

/** The expressions of the native language, as they stand outside of loops. */
export const nativeLanguage: Language = {
  namespaces,
  functions: [...commonFunctions, required, exists, matching],
  comparing: 'loose',
  results: { namespace: 'steps', status: 'status' },
  dollar: false,
};

/** What the machine evaluates, whichever language it was written in: names and functions were checked by its reader. */
export const machineLanguage: Language = {
  ...nativeLanguage,
  functions: [...commonFunctions, ...machineFunctions],
};

/** The same inside a loop, whose item has one more name. */
export function insideLoop(language: Language, item: string): Language {
  return { ...language, namespaces: [...new Set([...language.namespaces, ...loopNamespaces, item])] };
}
