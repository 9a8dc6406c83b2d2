import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../src/workflow/model.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { readParts } from '../../src/languages/orchestrate/substitution.ts';
import { type LanguageContext } from '../../src/languages/shared/context.ts';
import { nowhere } from '../support/nowhere.ts';
import { World } from '../workflow/machine/world.ts';

function lowered(step: object, context: Partial<LanguageContext> = {}): Workflow {
  const on = { success: { goto: '_end' }, failure: { goto: '_error' } };
  const text = JSON.stringify({ version: '1.0', name: 'test', steps: [{ name: 'One', on, ...step }] });
  const read = parseWorkflow(text, 'test.json', { ...nowhere, ...context });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

function workOf(step: object, context: Partial<LanguageContext> = {}) {
  return lowered(step, context).body.steps[0]?.work;
}

it('is known by its version, also where YAML reads a number, and is no file of another program', () => {
  const on = 'on: { success: { goto: _end }, failure: { goto: _error } }';
  for (const version of ['1.0', '"1.0"']) {
    const text = `version: ${version}\nname: x\nsteps:\n  - { name: a, command: [echo, hi], ${on} }\n`;
    expect(parseWorkflow(text, 'w.yaml', nowhere)).toMatchObject({ ok: true });
  }
});

describe('a provider', () => {
  it.each([
    ['claude', 'claude'],
    ['openai', 'codex'],
    ['gemini', 'gemini'],
  ])('%s is %s where there is no shim, and may read', (provider, agent) => {
    expect(workOf({ provider, input_file: 'a.md' })).toMatchObject({
      kind: 'agent',
      provider: agent,
      model: null,
      capabilities: ['READ'],
    });
  });

  it('may do what `capabilities` says', () => {
    expect(
      workOf({ provider: 'claude', input_file: 'a.md', capabilities: ['EDIT'], model: 'm' }),
    ).toMatchObject({
      model: 'm',
      capabilities: ['EDIT'],
    });
  });

  it('is a shim where PATH has one, with the model of the step, else of the settings', () => {
    const agents = { model: 'usual', maxTokens: 9 };
    const shimmed = { hasProgram: (name: string) => name === 'claude-shim', agents };
    const words = (step: object) =>
      JSON.stringify(workOf({ provider: 'claude', input_file: 'a', ...step }, shimmed)).match(
        /(?<="text":")[^"]+/g,
      );
    expect(words({})).toEqual(['claude-shim', '--model', 'usual', '--max-tokens', '9']);
    expect(words({ model: 'own', max_tokens: 3 })).toEqual([
      'claude-shim',
      '--model',
      'own',
      '--max-tokens',
      '3',
    ]);
  });

  it('is looked for when the workflow is read: the shim, and the program that the agent has here', () => {
    const text = JSON.stringify({
      version: '1.0',
      name: 'test',
      steps: [
        {
          name: 'One',
          provider: 'openai',
          input_file: 'a.md',
          on: { success: { goto: '_end' }, failure: { goto: '_error' } },
        },
      ],
    });
    const warningsWith = (...programs: readonly string[]) => {
      const hasProgram = (name: string) => programs.includes(name);
      const programOf = (provider: string) => `my-${provider}`;
      const read = parseWorkflow(text, 'test.json', { ...nowhere, hasProgram, programOf });
      return read.ok ? read.warnings.map(({ message }) => message) : read.problems;
    };
    expect(warningsWith()).toEqual(['neither `openai-shim` nor `my-codex` is on PATH']);
    expect(warningsWith('my-codex')).toEqual([]);
    expect(warningsWith('openai-shim')).toEqual([]);
  });
});

describe('a text with variables', () => {
  it('is read whatever it is, and loses nothing but what is no variable', () => {
    const word = fc.constantFrom('$', '$$', '${', '}', '${a.b}', '${{', '}}', 'x', ' ', '\\', '${ a }');
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const { parts, problems } = readParts(words.join(''));
        const texts = parts.map((part) => (part.kind === 'text' ? part.text : ''));
        if (problems.length === 0 && !words.join('').includes('$'))
          expect(texts.join('')).toBe(words.join(''));
        expect(parts.every((part) => part.kind === 'variable' || part.text !== '')).toBe(true);
      }),
    );
  });

  it.each([
    ['$${a.b}', '${a.b}'],
    ['$$$$', '$$'],
    ['a ${{ b }} $ c', 'a ${{ b }} $ c'],
    ['\\$x', '\\$x'],
  ])('%s is %s', (text, plain) => {
    expect(readParts(text)).toEqual({ parts: [{ kind: 'text', text: plain }], problems: [] });
  });

  it.each(['constructor', '__proto__', 'toString', 'a.constructor'])(
    'reaches no prototype by ${context.%s}',
    (name) => {
      const workflow = lowered({ command: ['echo', `\${context.${name}}`] });
      const world = new World(workflow, { given: { context: { a: { b: 1 } } } });
      expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_VAR_MISSING' } });
    },
  );
});
