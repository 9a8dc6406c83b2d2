import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isJsonObject } from '../../src/kernel/json.ts';
import type { Workflow } from '../../src/workflow/model.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { writeNative } from '../../src/languages/native/write/write.ts';
import { type LanguageContext } from '../../src/languages/shared/context.ts';
import { nowhere } from '../support/nowhere.ts';

/** A project in which every agent is there. */
const withAgents: LanguageContext = {
  ...nowhere,
  files: {
    read: (path) => (path.startsWith('agents/') ? '---\nprovider: mine\n---\nDo it.\n' : null),
    list: () => [],
    tracked: ['a.ts'],
  },
};

it.each([
  'workflows/stages.yaml',
  'test/fixtures/swdl/quick-review.yaml',
  'test/fixtures/swdl/ship-feature.yaml',
])('%s means the same when it is a native one', (name) => {
  const workflow = read(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
  const converted = read(writeNative(workflow));
  expect(usual(converted)).toEqual(usual(workflow));
  const text = writeNative(converted);
  expect(writeNative(read(text))).toBe(text);
});

it('is warned of as a native one where it compares a text of an agent: swdl has no word for which texts there are', () => {
  const text = readFileSync(new URL('../fixtures/swdl/ship-feature.yaml', import.meta.url), 'utf8');
  const converted = parseWorkflow(writeNative(read(text)), 'native.yaml', withAgents);
  expect(converted.ok && converted.warnings).toMatchObject([
    {
      code: 'E_EXPRESSION',
      message: expect.stringContaining('`steps.review.values.review_verdict`') as string,
    },
  ]);
});

/** Without what is only shown, with one word for the same policy, and without expressions: there is more than one way to say them. */
function usual({ name, timeout, parameters, env, hooks, body }: Workflow): unknown {
  const steps = body.steps.map(({ display: _display, ...step }) => ({
    ...step,
    onFailure: step.onFailure === 'abort' ? 'retry' : step.onFailure,
    retry: step.work.kind === 'gate' ? null : { ...step.retry, never: step.retry.never ?? [] },
  }));
  const all = { name, timeout, parameters, env, hooks, body: { ...body, steps } };
  const isTree = (value: unknown) =>
    isJsonObject(value) && ('comparing' in value || 'operands' in value || 'test' in value);
  return JSON.parse(
    JSON.stringify(all, (_key, value: unknown) => (isTree(value) ? 'expression' : value)),
  ) as unknown;
}

function read(text: string): Workflow {
  const checked = parseWorkflow(text, 'sample.yaml', withAgents);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems.map(({ message }) => message)));
  return checked.value;
}
