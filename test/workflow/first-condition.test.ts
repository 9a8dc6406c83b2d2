import { expect, it } from 'vitest';
import { neverBegins } from '../../src/workflow/first-condition.ts';
import { machineLanguage } from '../../src/workflow/machine/language.ts';
import { planOf } from '../../src/workflow/machine/plan.ts';
import { compile } from '../../src/workflow/machine/rules.ts';
import { emptyLoop } from '../../src/workflow/machine/view.ts';
import { graph, tree, workflow } from './machine/graph.ts';
import { World } from './machine/world.ts';

const never = (text: string) => neverBegins(tree(text), (name) => name === 'look', machineLanguage);

it.each([
  'steps.look.exit_code != 0',
  "steps.look.status == 'FAILED'",
  'steps.look.values.left > 0',
  'steps.look.values.more',
  "contains(steps.look.output, 'wait')",
  "'FAILED' == steps.look.status",
  "!(steps.look.status != 'SUCCEEDED')",
  'default(steps.look.exit_code, 0) != 0',
  'parameters.on && steps.look.exit_code != 0',
  "steps.look.status == 'FAILED' && steps.other.status == 'FAILED'",
  'parameters.on ? steps.look.values.a : steps.look.values.b',
  'steps.look.exit_code != 0 || false',
  'loop.iteration > 0 && parameters.on',
  'fromJSON(steps.look.output).more',
  'fromJSON(steps.look.output)[loop.elapsed].more[0] > 1',
  'false',
])('a loop that begins with `%s` never runs', (text) => {
  expect(never(text)).toBe(true);
});

it.each([
  "steps.look.status != 'SUCCEEDED'",
  '!steps.look.values.done',
  'default(steps.look.exit_code, 1) != 0',
  'steps.look.exit_code != 0 || parameters.on',
  'steps.look.exit_code != 0 || loop.iteration == 0',
  'default(steps.other.values.n, 0) != 0',
  'steps.other.exit_code != 0',
  "steps[parameters.which].status == 'FAILED'",
  'parameters.on ? steps.look.values.a : true',
  'fromJSON(steps.other.output).more',
  "exists('go')",
  'loop.elapsed > 60',
  'true',
])('a loop that begins with `%s` may run', (text) => {
  expect(never(text)).toBe(false);
});

it('is said of a loop in the plan, and of its end', () => {
  const text = 'l : while="steps.look.exit_code != 0" rounds=9\n  look\ne : each=[]\n  a\nm : each=[1]\n  a';
  const world = new World(text);
  const { contracts } = planOf(compile(workflow(graph(text))), {
    estimate: () => ({ usd: null, tokens: null, price: null }),
    budget: { usd: null, tokens: null },
    slots: 1,
  });
  expect(contracts.map(({ step, items }) => [step, items])).toContainEqual(['l', 0]);
  world.done('m/0/a');
  expect(['l', 'e', 'm'].map((path) => emptyLoop(world.state.steps.get(path)!))).toEqual([
    'no iteration: its condition was false',
    'no iteration: its list is empty',
    null,
  ]);
});
