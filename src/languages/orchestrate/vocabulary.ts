import type { Language } from '../../expressions/language.ts';
import type { Vocabulary } from '../../workflow/check/vocabulary.ts';
import { machineLanguage } from '../../workflow/machine/language.ts';
import type { LanguageEditor } from '../shared/editor.ts';

/** The terms of this language for how a step ended. */
const statusWords = ['completed', 'failed', 'skipped'];

/** Targets that are not steps. */
export const specialTargets = ['_start', '_end', '_error', '_loop_break', '_loop_continue'];

/** The expression language of variables: names are case-sensitive. */
export const orchestrateLanguage: Language = { ...machineLanguage, comparing: 'exact' };

const afterLoop = 'a `set_context` in the loop hands on what is needed after it';

/** The terms of this language for the parts of every workflow. */
export const orchestrateVocabulary: Vocabulary = {
  isTranslated: true,
  step: 'step',
  parameter: 'parameter',
  value: 'value',
  steps: 'steps',
  properties: { exit_code: 'exit_code', output: 'output', duration: 'duration', status: 'status' },
  statuses: statusWords,
  failures: [],
  namespaces: {},
  ends: [],
  absent: 'E_VAR_MISSING',
  spell: (words) => `\${${words.join('.')}}`,
  hints: {
    literal: '${steps.Name.output}',
    whole: 'write what you need of it: `${steps.Name.output}`',
    order: (step, target) => `let a transition lead from \`${target}\` to \`${step}\``,
    cycle: 'remove one of these transitions',
    later: () => null,
    afterLoop: () => afterLoop,
    env: 'name it under `env` of the workflow',
    continues: 'on: { failure: { goto: … } }',
    enums: null,
    gives: (kind) => (kind === 'assign' ? 'what it sets is read as `${context.…}`' : afterLoop),
    leaving: 'a loop is left by `_loop_break`; its own `on` says where to continue',
    targets: specialTargets,
  },
};

export const orchestrateEditor: LanguageEditor = {
  names: [
    { kind: 'step', path: /(?:^|\/)steps\/\d+\/name$/, defines: true },
    { kind: 'step', path: /\/on\/(?:success|failure|timeout)\/goto$/, also: specialTargets },
    { kind: 'step', path: /\/(?:step_ok|exit_code\/step)$/ },
  ],
  expressions: {
    opening: '${',
    language: orchestrateLanguage,
    vocabulary: orchestrateVocabulary,
    bare: null,
  },
  graph: null,
};
