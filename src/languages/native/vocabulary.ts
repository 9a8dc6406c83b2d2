import type { Vocabulary } from '../../workflow/check/vocabulary.ts';

/** The terms of the native language, which are those of the engine. */
export const nativeVocabulary: Vocabulary = {
  isTranslated: false,
  step: 'step',
  parameter: 'parameter',
  value: 'value',
  steps: 'steps',
  properties: {
    status: 'status',
    values: 'values',
    approval: 'approval',
    artifacts: 'artifacts',
    errors: 'errors',
    failed: 'failed',
    exit_code: 'exit_code',
    output: 'output',
    duration: 'duration',
    summary: 'summary',
    commit: 'commit',
    branch: 'branch',
    worktree: 'worktree',
  },
  statuses: ['SUCCEEDED', 'FAILED', 'INCOMPLETE', 'SKIPPED', 'CANCELLED'],
  failures: ['FAILED'],
  namespaces: {
    run: ['id', 'root', 'started_at'],
    workflow: ['name', 'version'],
    loop: ['index', 'total', 'first', 'last', 'iteration', 'elapsed'],
  },
  ends: ['status', 'reason', 'cost', 'failed'],
  absent: null,
  spell: (words) => words.join('.'),
  hints: {
    literal: 'steps.build.status',
    whole: null,
    order: (step, target) => `let \`${step}\` depend on it: \`depends_on: [${target}]\``,
    cycle: 'each depends on the next; remove one of these dependencies',
    later: (step, isRound) =>
      isRound
        ? `\`${step}\` sees the iteration before as \`previous.steps.…\``
        : 'exchange the two, or read something else',
    afterLoop: (loop) => `\`steps.${loop}.values\` is a list with what each iteration handed over`,
    env: 'what is not there has no value: name it under `env`, or make it a parameter',
    continues: 'on_failure: continue',
    enums: 'say which texts there are: `enum: [ … ]` where the value is declared',
    gives: (kind, id) => {
      switch (kind) {
        case 'for-each':
          return `\`values\`, \`artifacts\` and \`errors\` are read by index, or by the \`key\` of an item: \`steps.${id}.values[0]\``;
        case 'while':
          return `\`values\` and \`artifacts\` are lists of what each iteration handed over: \`steps.${id}.values[0]\``;
        case 'gate':
          return '`approval` has `by`, `comment`, `choice` and `fields`';
        case 'workflow':
          return '`exports` makes artifacts of its steps its own';
        case 'assign':
          return 'what it sets is in `context`';
        case 'route':
        case 'fail':
          return 'it hands nothing over';
        default:
          return null;
      }
    },
    leaving: 'a loop is left by `{ end: loop }`; its own `next` says where to continue',
    targets: [],
  },
};
