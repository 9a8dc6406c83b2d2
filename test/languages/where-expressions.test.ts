import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Json } from '../../src/kernel/json.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { nowhere } from '../support/nowhere.ts';

const value = { type: 'string', description: 'what', default: 'x', enum: ['x'] };
const work = { capabilities: ['READ'], timeout: '5m' };

/** A right definition with every key of the native language that takes a string. */
const definition: Json = {
  $schema: 'schema.json',
  name: 'all',
  version: '1',
  description: 'every key',
  timeout: '1h',
  flow: 'graph',
  context_dir: 'context',
  parameters: { p: value },
  context: { c: 'x' },
  inherit: ['LANG'],
  env: { E: 'x' },
  secrets: ['TOKEN'],
  triggers: {
    nightly: { cron: '0 3 * * *', timezone: 'UTC' },
    often: { every: '1h', filter: 'true' },
    edited: { files: ['src/**'], debounce: '1s', cooldown: '1s' },
    pushed: { webhook: '/push', secret: 'TOKEN' },
    polled: { command: ['date'], every: '1m', on: 'change' },
  },
  hooks: { on_start: { run: ['echo', 'x'], tell: 'slack:x' } },
  steps: {
    agent: {
      description: 'it',
      worker: 'CLAUDE_CODE',
      instructions: 'x',
      ...work,
      model: 'opus',
      takes: { t: { value: 'x', type: 'string', description: 'what' } },
      summary: 'x',
      workspace: 'x',
      env: { E: 'x' },
      secrets: ['TOKEN'],
      stdin: 'x',
      stdout: 'x',
      inputs: [{ from: 'program', artifact: 'o', as: 'x' }],
      outputs: [{ name: 'o', path: 'x', type: 'code' }],
      values: { v: value },
      grace: '3s',
      idle_timeout: '3s',
      on_stall: 'fail',
      depends_on: [{ step: 'program', when: 'true' }],
      join: 'all',
      when: 'true',
      on_failure: 'retry',
      max_retries: 1,
      retry: { base: '1s', cap: '2s', never: ['rate_limit_exhausted'] },
      on_retries_exhausted: 'continue',
    },
    program: {
      command: ['x'],
      outputs: [{ name: 'o', path: 'x' }],
      timeout: '1m',
      max_iterations: 2,
      completion_check: {
        worker: 'CODEX_CLI',
        instructions: 'x',
        capabilities: ['READ'],
        model: 'x',
        timeout: '1m',
        decision_file: 'x',
        max_command_time: '1m',
      },
      on_iterations_exhausted: 'continue',
      convergence: {
        enabled: true,
        stages: [{ stage: 2, append_instructions: 'x' }],
        allowed_paths: ['x'],
        ignored_paths: ['y'],
        diff_base_ref: 'HEAD',
      },
    },
    checked: {
      command: ['x'],
      max_iterations: 2,
      completion_check: { command: ['x'], timeout: '1m' },
      convergence: { enabled: true, diff_base_ref_file: 'x' },
    },
    gate: { gate: { message: 'x', approvers: ['ada'], timeout: '1m', on_timeout: 'abort' } },
    each: {
      for_each: {
        items: "${{ fromJSON('[1]') }}",
        as: 'one',
        gives: 'inner',
        steps: { inner: { command: ['x'] } },
      },
    },
    again: { while: { condition: 'true', max_iterations: 1, steps: { inner: { command: ['x'] } } } },
    way: {
      for_each: {
        items: ['x'],
        flow: 'sequence',
        steps: {
          inner: {
            command: ['x'],
            next: { success: { end: 'round' }, failure: { end: 'failed', message: 'x' } },
          },
        },
      },
    },
    setting: { set: { c: 'x' } },
  },
};

type Path = readonly (string | number)[];

function leaves(part: Json, path: Path = []): Path[] {
  if (typeof part === 'string') return [path];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, inner]) =>
    leaves(inner, [...path, Array.isArray(part) ? Number(key) : key]),
  );
}

function withText(part: Json, [first, ...rest]: Path, text: string): Json {
  if (first === undefined) return text;
  const copy = structuredClone(part) as Record<string | number, Json>;
  copy[first] = withText(copy[first]!, rest, text);
  return copy;
}

/** The messages of what is wrong. */
function problems(part: Json): readonly string[] {
  const checked = parseWorkflow(stringify(part, { aliasDuplicateObjects: false }), 'w.yaml', nowhere);
  return checked.ok ? [] : checked.problems.map(({ message }) => message);
}

/** The key that a text stands under, with what it belongs to. */
function keyOf(path: Path): string {
  const names = path.filter((each) => typeof each === 'string');
  const [last = '', owner = ''] = names.toReversed();
  const isNamed = ['env', 'set', 'context', 'with'].includes(owner);
  return isNamed ? owner : last;
}

it('is a right definition', () => {
  expect(problems(definition)).toEqual([]);
});

/** Of no type that is known before it runs. */
const expression = "${{ fromJSON('[1]') }}";
const outcomes = leaves(definition).map((path) => ({
  key: keyOf(path),
  path: path.join('.'),
  // Of a target the scheme is literal.
  messages: problems(withText(definition, path, path.at(-1) === 'tell' ? `slack:${expression}` : expression)),
}));

it('every key either reads expressions, or refuses them', () => {
  const taken = outcomes.filter(({ messages }) => messages.length === 0).map(({ key }) => key);
  const page = readFileSync(new URL('../../docs/workflow-reference.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## Expressions'), page.indexOf('| namespace'));
  const listed = [...section.matchAll(/`([\w.*]+)`/g)].map(([, key = '']) => key.split('.').at(-1) ?? '');
  // Sub-workflows are other files.
  expect([...new Set([...taken, 'with'])].toSorted()).toEqual([...new Set(listed)].toSorted());
});

it.each([
  ['steps.agent.model', '`model` must not contain an expression'],
  ['steps.gate.gate.approvers.0', '`approvers` must not contain an expression'],
  [
    'steps.program.convergence.stages.0.append_instructions',
    '`append_instructions` must not contain an expression',
  ],
  ['steps.agent.takes.t.description', '`description` must not contain an expression'],
])('%s: %s', (path, message) => {
  expect(outcomes.find((each) => each.path === path)?.messages).toEqual([message]);
});
