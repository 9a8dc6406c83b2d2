import { expect, test } from 'vitest';
import { parseWorkflow } from '../../../src/languages/parse.ts';
import { validate } from '../../../src/project/definition/validate.ts';
import { nowhere } from '../../support/nowhere.ts';

const agent = 'provider: claude, instructions: x, capabilities: [READ]';

/** The steps that `validate` names; `child`: the timeout of the sub-workflow. */
function untimed(steps: string, { timeout = '9h', child = '9h' } = {}): readonly string[] | undefined {
  const head = (name: string, limit: string) => `name: ${name}\nversion: "1"\ntimeout: ${limit}\nsteps: `;
  const load = (file: string) =>
    ({ ok: true, file, text: `${head('child', child)}{ inner: { ${agent} } }\n` }) as const;
  const checked = parseWorkflow(`${head('a', timeout)}{ ${steps} }\n`, 'a.yaml', { ...nowhere, load });
  const { document, text } = validate([{ path: 'a.yaml', checked }]);
  expect({ ok: document.ok, text }).toEqual({ ok: true, text });
  return document.workflows[0]?.default_timeout;
}

const loop = (more: string) => `l: { ${more}for_each: { items: [1], steps: { b: { ${agent} } } } }`;

test.each([
  [`a: { ${agent} }`, ['a']],
  [`a: { ${agent}, idle_timeout: 5m }`, ['a']],
  [`a: { ${agent}, timeout: 3h }`, []],
  [`a: { worker: CUSTOM, instructions: x, capabilities: [] }`, []],
  [`a: { worker: CODEX_CLI, instructions: x, capabilities: [READ] }`, ['a']],
  [`a: { command: [make] }`, []],
  [loop(''), ['l/b']],
  [loop('timeout: 1h, '), []],
  [loop('timeout: 3h, '), ['l/b']],
  ['c: { workflow: c.yaml }', ['c/inner']],
  ['c: { workflow: c.yaml, timeout: 2h }', []],
])('%s: the default timeout counts for %j', (steps, names) => {
  expect(untimed(steps)).toEqual(names);
});

test('a timeout around an agent that is not longer counts before the default', () => {
  expect(untimed(`a: { ${agent} }`, { timeout: '2h' })).toEqual([]);
  expect(untimed('c: { workflow: c.yaml }', { child: '2h' })).toEqual([]);
  expect(untimed('c: { workflow: c.yaml }', { timeout: '1h' })).toEqual([]);
});
