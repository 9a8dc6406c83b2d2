import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseWorkflow } from '../../../src/languages/parse.ts';
import { startContext } from '../../../src/workflow/machine/run-start.ts';
import type { Workflow } from '../../../src/workflow/model.ts';
import { nowhere } from '../../support/nowhere.ts';
import { World } from './world.ts';

const page = readFileSync(new URL('../../../docs/workflow-reference.md', import.meta.url), 'utf8');
const example = /```yaml\n(name: three-rounds\n[^]*?)```/.exec(page)?.[1] ?? '';

function read(text: string): Workflow {
  const result = parseWorkflow(text, 'a.yaml', nowhere);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('\n'));
  expect(result.warnings).toEqual([]);
  return result.value;
}

function begun(text: string): World {
  const workflow = read(text);
  const context = startContext(workflow, { context: {}, parameters: {}, env: {} });
  return new World(workflow, { given: { context } });
}

function reported(world: World): unknown {
  return world.launch('report').work;
}

it('a sequence counts its rounds without a script', () => {
  const world = begun(example);
  for (const round of [0, 1, 2]) {
    expect(world.running).toEqual([`rounds/${String(round)}/try`]);
    world.fails(`rounds/${String(round)}/try`, { class: 'NON_RETRYABLE' });
  }
  expect(reported(world)).toMatchObject({ argv: ['echo', 'done: false, rounds: 3'] });
});

it('a sequence ends its rounds by a value', () => {
  const world = begun(example);
  world.fails('rounds/0/try', { class: 'NON_RETRYABLE' });
  world.done('rounds/1/try');
  expect(reported(world)).toMatchObject({ argv: ['echo', 'done: true, rounds: 2'] });
});

it('values of context keep their types', () => {
  const text = `
name: x
version: '1'
timeout: 1h
context: { n: 3, done: false, names: [], none: null, half: 0.5, deep: { a: [1] }, next: '\${{ context.n + 1 }}' }
steps: { one: { set: { n: 0, list: [a, 2], more: '\${{ context.next * 2 }}' } } }
`;
  const workflow = read(text);
  const given = { context: { half: 2 }, parameters: {}, env: {} };
  expect(startContext(workflow, given)).toEqual({
    n: 3,
    done: false,
    names: [],
    none: null,
    half: 2,
    deep: { a: [1] },
    next: 4,
  });
  expect(begun(text).state.context).toMatchObject({ n: 0, list: ['a', 2], more: 8 });
});
