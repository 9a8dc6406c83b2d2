import { expect, it } from 'vitest';
import { promptContextsOf } from '../../src/languages/parse.ts';
import { found, promptOf, stage } from '../docs/swdl-plays.ts';
import { head, withFiles } from './swdl.ts';

/*
 * What prompts of stages have besides instructions and inputs, as it is shown before a run.
 */

const memory = (category: string, confidence: number, text: string) =>
  `---\ncategory: ${category}\nconfidence: ${String(confidence)}\n---\n${text}\n`;
const files = {
  'modules/rules.md': 'Rules.\n',
  'modules/style.md': 'Style.\n',
  'memory/a.md': memory('pattern', 0.8, 'First'),
  'memory/b.md': memory('pattern', 0.9, 'x'.repeat(100)),
  'memory/c.md': memory('decision', 0.95, 'Decided.'),
  'memory/d.md': memory('pattern', 0.3, 'Guess'),
  'memory/e.md': memory('pattern', 0.85, 'Second one'),
};
const query = { categories: ['pattern'], max_tokens: 12, min_confidence: 0.5 };

it('names what the prompt has, and what has no room in it', () => {
  const context = { memory: query };
  const [, one] = found([stage('one', { context })], {}, files).promptContexts();
  expect(one).toEqual({
    step: 'one',
    modules: [],
    memory: {
      scope: 'current',
      minConfidence: 0.5,
      categories: ['pattern'],
      maxTokens: 12,
      packed: [
        { file: 'memory/e.md', category: 'pattern', confidence: 0.85, tokens: 5 },
        { file: 'memory/a.md', category: 'pattern', confidence: 0.8, tokens: 4 },
      ],
      noRoom: [{ file: 'memory/b.md', category: 'pattern', confidence: 0.9, tokens: 28 }],
    },
  });
  const remembered = promptOf({ context }, {}, files).split('## What is remembered\n\n')[1];
  expect(remembered).toBe('- (pattern) Second one\n- (pattern) First');
});

it('has a module once that the workflow and the stage name, in the order of the prompt', () => {
  const context = { modules: ['ctx:none', 'ctx:rules'] };
  const top = { context: { global_modules: ['ctx:style', 'ctx:rules'] } };
  const contexts = found([stage('one', { context }), stage('two')], top, files).promptContexts();
  const [style, rules] = [
    { name: 'ctx:style', file: 'modules/style.md', from: 'workflow' },
    { name: 'ctx:rules', file: 'modules/rules.md', from: 'workflow' },
  ];
  expect(contexts.map(({ step, modules }) => [step, modules])).toEqual([
    [null, [style, rules]],
    ['one', [style, { ...rules, from: 'both' }, { name: 'ctx:none', file: null, from: 'step' }]],
    ['two', [style, rules]],
  ]);
  expect(promptOf({ context: { modules: ['ctx:rules'] } }, top, files)).toMatch(
    /### ctx:style\n\nStyle\.\n\n### ctx:rules\n\nRules\.$/,
  );
});

it('is that of the template of a fan-out, and of no gate', () => {
  const roles = { primary: { artifact: 'agent:x' } };
  const template = { roles, context: { modules: ['ctx:rules'] } };
  const contexts = found(
    [
      stage('each', { type: 'fan_out', fan_out: { source: [1], stage_template: template } }),
      stage('ask', { type: 'gate', gate: { kind: 'manual_approval' } }),
    ],
    {},
    files,
  ).promptContexts();
  expect(contexts.map(({ step, modules }) => [step, modules.map(({ name }) => name)])).toEqual([
    [null, []],
    ['each', ['ctx:rules']],
  ]);
});

it('counts overrides, and what is valid of a file with errors', () => {
  const text = `${head}context: { global_modules: ["ctx:rules", 7], memory: { max_tokens: 40, min_confidence: 2 } }
stages:
  - { id: one, roles: 5, context: { modules: ["ctx:style"] } }
  - just words
`;
  const changing = {
    'workflows/overrides.yaml':
      'overrides: { w: { stages: { one: { context: { modules: ["ctx:more"] } } } } }\n',
  };
  const named = (more: object) =>
    promptContextsOf(text, 'w.yaml', withFiles({ ...files, ...more })).map(({ step, modules }) => [
      step,
      ...modules.map(({ name }) => name),
    ]);
  expect(named({})).toEqual([[null], ['one', 'ctx:style']]);
  expect(named(changing)).toEqual([[null], ['one', 'ctx:more']]);
  expect(promptContextsOf('stages: [', 'w.yaml', withFiles(files))).toEqual([]);
  expect(promptContextsOf('name: n\nversion: "1"\nsteps: {}\n', 'w.yaml', withFiles(files))).toEqual([]);
});
