import { commonFunctions } from '../../expressions/functions.ts';
import type { Language } from '../../expressions/language.ts';

const functions = ['length', 'contains', 'toJSON', 'fromJSON', 'default'];

/** Expressions of the swdl language, as they stand in stages. */
const swdlLanguage: Language = {
  namespaces: ['parameters', 'stages', 'context', 'env', 'run', 'workflow'],
  functions: commonFunctions.filter(({ name }) => functions.includes(name)),
  comparing: 'loose',
  results: { namespace: 'stages', status: 'status' },
  dollar: false,
  insteadOf: {
    steps: 'what a stage produced is `stages.<id>.outputs.<name>`',
    needs: 'what a stage produced is `stages.<id>.outputs.<name>`',
    jobs: 'what a stage produced is `stages.<id>.outputs.<name>`',
    outputs: 'what a stage produced is `stages.<id>.outputs.<name>`',
    inputs: 'inputs are in the prompt under their names; an expression reads what their `source` reads',
    params: 'they are `parameters`',
    config: 'parameters are `parameters.<name>`, variables `env.<NAME>`',
    memory: 'memories are in the prompt; expressions do not see them',
    secrets: 'expressions see no secrets; agents use what their own program is logged in with',
    item: 'there is an `item` only in the `stage_template` of a fan-out',
  },
};

/** The same in the template of a fan-out, which sees its item. */
const itemLanguage: Language = {
  ...swdlLanguage,
  namespaces: [...swdlLanguage.namespaces, 'item'],
};

/** What expressions are made of. `item`: in the template of a fan-out. */
export function languageAt({ item }: { readonly item: boolean }): Language {
  return item ? itemLanguage : swdlLanguage;
}

/** What a stage can be; an expression meets those in which it stays. */
export const stageStatuses = [
  'pending',
  'running',
  'success',
  'failed',
  'skipped',
  'timed_out',
  'cancelled',
] as const;
