import { commonFunctions } from '../../expressions/functions.ts';
import { machineFunctions } from '../../expressions/machine-functions.ts';
import { previousNamespace } from '../reserved.ts';
import type { Language } from '../../expressions/language.ts';

/** The namespaces of every expression of a native workflow. */
export const namespaces = ['parameters', 'steps', 'env', 'run', 'workflow', 'context', 'trigger'] as const;

/** The additional namespaces of a loop's steps. */
const loopNamespaces = ['item', 'loop'] as const;

/** The expressions of the native language outside loops. */
export const nativeLanguage: Language = {
  namespaces,
  functions: [...commonFunctions, ...machineFunctions],
  comparing: 'loose',
  results: { namespace: 'steps', status: 'status' },
  dollar: false,
  calculates: true,
  insteadOf: {
    success: "compare a status: steps.<id>.status == 'SUCCEEDED'",
    failure: "compare a status: steps.<id>.status == 'FAILED'",
    cancelled: "compare a status: steps.<id>.status == 'CANCELLED'",
    always:
      'what runs in any case is in `finally`; a step runs after a failed one with `on_failure: continue`',
    case: 'write `a ? b : c`',
    needs: 'what an earlier step did is `steps.<id>`',
    jobs: 'what an earlier step did is `steps.<id>`',
    inputs: 'what a run is given is `parameters`',
    matrix: 'in a loop the current item is `item`',
    vars: 'variables are `env`',
    secrets: 'a step reads a secret as a variable of its environment; expressions see none',
  },
};

/**
 * The machine's language, for every source language: its reader has checked names and functions.
 * Missing step outputs and parameters read as null.
 */
export const machineLanguage: Language = {
  ...nativeLanguage,
  optional: ['steps', 'parameters', previousNamespace],
};

/** The same inside a loop, with the item's name added; null: the loop has no items. */
export function insideLoop(language: Language, item: string | null): Language {
  const own = item === null ? ['loop'] : [...loopNamespaces, item];
  return { ...language, namespaces: [...new Set([...language.namespaces, ...own])] };
}

/** The same in the steps of a `while`, which see those of the previous iteration. */
export function insideRound(language: Language): Language {
  const inside = insideLoop(language, null);
  return { ...inside, namespaces: [...new Set([...inside.namespaces, previousNamespace])] };
}
