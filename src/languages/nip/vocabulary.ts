import type { Language } from '../../expressions/language.ts';
import type { Vocabulary } from '../../workflow/check/vocabulary.ts';
import { commonFunctions } from '../../expressions/functions.ts';
import type { LanguageEditor } from '../shared/editor.ts';

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

export const nipEditor: LanguageEditor = {
  names: [
    { kind: 'step', path: /^tags\/\d+\/1$/, tag: 'step', defines: true },
    { kind: 'step', path: /^tags\/\d+\/[12]$/, tag: 'edge' },
    { kind: 'parameter', path: /^tags\/\d+\/1$/, tag: 'input', defines: true },
  ],
  expressions: { opening: '$', language: nipLanguage, vocabulary: nipVocabulary, bare: null },
  graph: null,
};
