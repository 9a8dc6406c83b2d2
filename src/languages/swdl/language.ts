import { commonFunctions } from '../../expressions/functions.ts';
import type { Language } from '../../expressions/language.ts';
import type { Vocabulary } from '../../workflow/check/vocabulary.ts';

const functions = ['length', 'contains', 'toJSON', 'fromJSON', 'default'];

/** The expression language of stages. */
const swdlLanguage: Language = {
  namespaces: ['parameters', 'stages', 'context', 'env', 'run', 'workflow'],
  functions: commonFunctions.filter(({ name }) => functions.includes(name)),
  comparing: 'loose',
  results: { namespace: 'stages', status: 'status' },
  dollar: false,
  doubleQuotes: true,
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

/** The expression language in the template of a fan-out, which can use its item. */
const itemLanguage: Language = {
  ...swdlLanguage,
  namespaces: [...swdlLanguage.namespaces, 'item'],
};

/** The expression language at a place. `item`: in the template of a fan-out. */
export function languageAt({ item }: { readonly item: boolean }): Language {
  return item ? itemLanguage : swdlLanguage;
}

/** The statuses of a stage; expressions see the final ones. */
export const stageStatuses = [
  'pending',
  'running',
  'success',
  'failed',
  'skipped',
  'timed_out',
  'cancelled',
] as const;

/** The terms of this language for the parts of every workflow. */
export const swdlVocabulary: Vocabulary = {
  isTranslated: true,
  step: 'stage',
  parameter: 'parameter',
  value: 'output',
  steps: 'stages',
  properties: { outputs: 'values', status: 'status' },
  statuses: stageStatuses,
  failures: ['failed', 'timed_out'],
  namespaces: {
    run: ['id', 'started_at', 'execution_id'],
    workflow: ['id', 'name', 'version', 'description', 'author', 'current_stage'],
  },
  ends: [],
  absent: null,
  spell: (words) => words.join('.'),
  hints: {
    literal: 'stages.research.outputs',
    whole: 'read its `outputs` or its `status`: `stages.research.outputs.…`',
    order: (stage) => `name it under \`depends_on\` of \`${stage}\`, or of a stage before it`,
    cycle: 'each depends on the next; remove one of these dependencies',
    later: (stage) => `name it under \`depends_on\` of \`${stage}\`, or read something else`,
    afterLoop: (loop) => `\`stages.${loop}.outputs\` is a list with the outputs of each item`,
    env: 'name it under `config.env`',
    continues: 'error_policy: { on_failure: continue }',
    enums: null,
    gives: (kind, id) => {
      if (kind === 'gate') return '`outputs` has `by`, `comment`, `choice` and `fields`';
      return kind === 'for-each' ? `\`stages.${id}.outputs\` is a list with the outputs of each item` : null;
    },
    leaving: '',
    targets: [],
  },
};
