import type { Language } from '../../expressions/language.ts';
import type { Vocabulary } from '../../workflow/check/vocabulary.ts';
import { commonFunctions } from '../../expressions/functions.ts';

/** The syntax of lowered conditions and inputs: paths of the engine with case-sensitive names. */
export const nipLanguage: Language = {
  namespaces: ['parameters', 'steps'],
  functions: commonFunctions,
  comparing: 'exact',
  results: null,
  dollar: true,
};

/** The terms of this language for the parts of every workflow. */
export const nipVocabulary: Vocabulary = {
  isTranslated: true,
  step: 'step',
  parameter: 'input',
  value: 'output',
  steps: 'steps',
  properties: { values: 'values' },
  statuses: [],
  failures: [],
  namespaces: {},
  ends: [],
  absent: null,
  spell: ([namespace, ...words]) =>
    namespace === 'parameters' ? ['$input', ...words].join('.') : `$${words.slice(2).join('.')}`,
  hints: {
    literal: '$output',
    whole: null,
    order: (step, target) => `edges must lead from \`${target}\` to \`${step}\``,
    cycle: 'each waits for the next: remove an edge; let a role repeat what is to be repeated',
    later: (step) => `no edge can lead back to \`${step}\`: read something else`,
    afterLoop: () => '',
    env: '',
    continues: 'policy:skip',
    enums: null,
    gives: () => null,
    leaving: '',
    targets: [],
  },
};
