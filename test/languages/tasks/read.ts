import * as z from 'zod';
import { choose, compare, literal, path } from '../../../src/expressions/build.ts';
import type { Language } from '../../../src/expressions/language.ts';
import { pathOf } from '../../../src/expressions/references.ts';
import type { Tree } from '../../../src/expressions/tree.ts';
import { nativeVocabulary } from '../../../src/languages/native/vocabulary.ts';
import { Diagnostics } from '../../../src/languages/shared/diagnostics.ts';
import type { WorkflowLanguage } from '../../../src/languages/shared/workflow-language.ts';
import type { Vocabulary } from '../../../src/workflow/check/vocabulary.ts';
import type { Step } from '../../../src/workflow/model.ts';
import { checkShape } from '../../../src/yaml/issues.ts';
import { step, workflow } from '../../workflow/machine/graph.ts';
import { statusOf } from '../../../src/workflow/machine/view.ts';

/*
 * A fifth language, as small as one can be: tasks that run a program after others, under a condition on how those came out.
 */

const file = z.strictObject({
  tasks: z.record(
    z.string(),
    z.strictObject({
      run: z.array(z.string()),
      after: z.array(z.string()).optional(),
      if: z.string().optional(),
    }),
  ),
});

const language: Language = {
  namespaces: ['tasks'],
  functions: [],
  comparing: 'exact',
  results: { namespace: 'tasks', status: 'state' },
  dollar: false,
};

const vocabulary: Vocabulary = {
  ...nativeVocabulary,
  isTranslated: true,
  step: 'task',
  steps: 'tasks',
  properties: { state: 'status' },
  statuses: ['fine', 'broken'],
  failures: ['broken'],
  hints: {
    ...nativeVocabulary.hints,
    order: (task, other) => `write \`after: [${other}]\` at \`${task}\``,
    cycle: 'one of them must come first',
    continues: 'no such luck',
  },
};

/** `tasks.x.state == 'fine'` in the words of the machine. */
function translated(tree: Tree): Tree {
  if (tree.kind === 'comparison')
    return { ...tree, left: translated(tree.left), right: translated(tree.right) };
  const [, task] = pathOf(tree) ?? [];
  if (task?.name == null) return tree;
  const status = path(['steps', task.name, 'status']);
  return choose(compare('==', status, literal('SUCCEEDED')), literal('fine'), literal('broken'));
}

export const tasks: WorkflowLanguage = {
  name: 'tasks',
  signs: [(given) => 'tasks' in given],
  sign: '`tasks`',
  schema: file,
  editor: {
    names: [
      { kind: 'step', path: /^tasks\/[^/]+$/, isKey: true, defines: true },
      { kind: 'step', path: /^tasks\/[^/]+\/after\/\d+$/ },
    ],
    expressions: { opening: '${{', language, vocabulary, bare: /\/if$/ },
    graph: null,
  },
  read: (document, context) => {
    const shape = checkShape(file, document);
    const diagnostics = new Diagnostics(document);
    const steps = Object.entries(shape.value?.tasks ?? {}).map(([id, task]): Step => {
      const at = ['tasks', id];
      const condition =
        task.if === undefined ? null : diagnostics.expression([...at, 'if'], task.if, language);
      const needs = (task.after ?? []).map((other) => ({ step: other, when: null }));
      return step(id, {
        needs: diagnostics.from([...at, 'after'], needs),
        when: condition && diagnostics.writtenAs([...at, 'if'], translated(condition), condition),
        work: {
          kind: 'command',
          argv: task.run.map((text) => [{ kind: 'text', text }]),
          capabilities: null,
        },
        values: {},
      });
    });
    const lowered = workflow(
      { kind: 'graph', steps },
      { language: 'tasks', display: { title: 'Tasks', record: 'tasks.txt' } },
    );
    diagnostics.check(lowered, context, {
      broken: new Set(),
      isOrderUnknown: shape.value === null,
      brokenParameters: new Set(),
      language,
      vocabulary,
    });
    return { workflow: lowered, problems: [...shape.problems, ...diagnostics.problems] };
  },
  runs: {
    document: (state, { root }) =>
      [...root.steps.keys()].map((id) => `${id} is ${statusOf(state, id)}\n`).join(''),
  },
};
