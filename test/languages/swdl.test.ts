import fc from '../support/fast-check.ts';
import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/workflow/agent.ts';
import type { Step } from '../../src/workflow/model.ts';
import { evaluate } from '../../src/expressions/evaluate.ts';
import { machineLanguage } from '../../src/workflow/machine/language.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import type { LanguageContext } from '../../src/languages/shared/context.ts';
import { head, read, withFiles } from './swdl.ts';

function stage(more = '', top = '', context?: LanguageContext): Step {
  const text = `${head}${top}stages:\n  - { id: one, roles: { primary: { artifact: "agent:plain" } }${more} }\n`;
  return read(text, context).body.steps[0]!;
}

function player(agent: string, more = '', context?: LanguageContext): Partial<Agent> {
  const text = `${head}stages:\n  - { id: one, roles: { primary: { artifact: "agent:${agent}"${more} } } }\n`;
  const { work } = read(text, context).body.steps[0]!;
  if (work.kind !== 'agent') throw new Error('it is no agent');
  const { provider, model, capabilities } = work;
  return { provider, model, capabilities };
}

describe('what is not said', () => {
  test('of a workflow and of a stage is what the language says', () => {
    const workflow = read(
      `${head}stages:\n  - { id: one, roles: { primary: { artifact: "agent:plain" } } }\n`,
    );
    expect(workflow).toMatchObject({ language: 'swdl', name: 'w', version: '1.0.0', timeout: 7_200_000 });
    expect(workflow.body.steps[0]).toMatchObject({
      needs: [],
      when: null,
      timeout: 1_800_000,
      onFailure: 'abort',
      check: null,
      retry: {
        max: 1,
        base: 30_000,
        factor: 2,
        cap: 300_000,
        jitter: false,
        never: [],
        missingOutputs: true,
      },
      work: { kind: 'agent', provider: 'claude', model: 'opus', capabilities: ['READ', 'EDIT', 'RUN_TESTS'] },
    });
  });

  test('is taken from the workflow, field by field', () => {
    const top =
      'error_policy: { default_retry: { max_attempts: 5, max_interval: 1h, non_retryable_errors: [x] }, on_stage_failure: continue }\n';
    const step = stage(', error_policy: { retry: { initial_interval: 1s }, timeout: 5m }', top);
    expect(step).toMatchObject({
      onFailure: 'continue',
      timeout: 300_000,
      retry: { max: 4, base: 1_000, factor: 2, cap: 3_600_000, never: ['x'] },
    });
    expect(stage('', 'error_policy: { on_stage_failure: rollback }\n').onFailure).toBe('rollback');
    expect(stage(', error_policy: { on_failure: halt, retry: { max_attempts: 1 } }', top)).toMatchObject({
      onFailure: 'abort',
      retry: { max: 0 },
    });
  });

  test('of a gate has no other timeout than its own', () => {
    const gate = (more: string) =>
      read(`${head}stages:\n  - { id: g, type: gate, gate: { kind: manual_approval${more} } }\n`).body
        .steps[0]!;
    expect(gate('')).toMatchObject({
      timeout: null,
      work: { timeout: null, onTimeout: 'abort', approvers: [] },
    });
    expect(gate(', timeout: 24h, on_timeout: reject, approvers: [ada]').work).toMatchObject({
      timeout: 86_400_000,
      onTimeout: 'reject',
      approvers: ['ada'],
    });
  });
});

describe('an agent is played', () => {
  test.each([
    ['plain', '', { provider: 'claude', model: 'opus', capabilities: ['READ', 'EDIT', 'RUN_TESTS'] }],
    ['plain', ', model: sonnet', { provider: 'claude', model: 'sonnet' }],
    ['said', '', { provider: 'codex', model: 'o9', capabilities: ['EDIT'] }],
    ['said', ', model: o1', { provider: 'codex', model: 'o1' }],
    [
      'theirs',
      '',
      { provider: 'claude', model: 'opus', capabilities: ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'] },
    ],
  ])('%s%s', (agent, more, expected) => {
    expect(player(agent, more)).toMatchObject(expected);
  });

  test.each([
    ['codx', '`agent:it` is played by the provider `codx`, which is not there', 'did you mean `codex`?'],
    ['human', '`agent:it` is played by a person, who has no program', 'let a stage of the type gate ask'],
  ])('by a program, which %s is not', (provider, message, hint) => {
    const files = withFiles(
      { 'agents/it/role.md': `---\nprovider: ${provider}\n---\nIt.\n` },
      { broaderThanRequested: new Map(['claude', 'codex', 'human'].map((name) => [name, () => []])) },
    );
    const text = `${head}stages:\n  - { id: one, roles: { primary: { artifact: "agent:it" } } }\n`;
    expect(parseWorkflow(text, 'w.yaml', files)).toMatchObject({ ok: false, problems: [{ message, hint }] });
  });

  test('as mailroom.yaml says of all', () => {
    const rest = { agentDefaults: { provider: 'gemini', capabilities: ['READ'] } } as const;
    expect(player('plain', '', withFiles({}, rest))).toEqual({
      provider: 'gemini',
      model: null,
      capabilities: ['READ'],
    });
  });
});

describe('types', () => {
  test.each([
    ['string', { type: 'string' }],
    ['integer', { type: 'integer' }],
    ['array<array<number>>', { type: 'array', items: { type: 'array', items: { type: 'number' } } }],
    ['artifact_ref', { type: 'string', pattern: '^(agent|skill|mcp|command):.*$' }],
    ['context_module', { type: 'string', pattern: '^ctx:.+$' }],
    ['memory_item', { type: 'string' }],
  ])('%s', (type, expected) => {
    expect(stage(`, outputs: { o: { type: "${type}" } }`).values['o']).toMatchObject(expected);
  });
});

describe('a file', () => {
  test('may be JSON, and what belongs to the composer is left alone', () => {
    const file = {
      workflow: {
        id: 'w',
        name: 'W',
        version: '1.0.0',
        author: 'a',
        tags: ['t'],
        ui: { color: '#fff', x: [1] },
      },
      stages: [{ id: 'one', ui: { position: [1, 2] }, roles: { primary: { artifact: 'agent:plain' } } }],
    };
    expect(read(JSON.stringify(file))).toEqual(read(stringify(file)));
  });

  test('can ask for the files of the project, and for what is known of the workflow', () => {
    const text = `${head}stages:
  - id: one
    roles: { primary: { artifact: "agent:plain", instructions: "\${{ workflow.id }} \${{ workflow.version }}" } }
`;
    const workflow = read(text);
    const [structure] = workflow.context['repo_structure']!;
    const value = structure?.kind === 'expression' && evaluate(structure.tree, {}, machineLanguage, 'value');
    expect(value).toEqual({ ok: true, value: { files: ['a.ts', 'b.ts'], total: 2 } });
    const { work } = workflow.body.steps[0]!;
    const trees = work.kind === 'agent' ? work.instructions.filter((part) => part.kind === 'expression') : [];
    expect(trees).toMatchObject([{ tree: { value: 'w' } }, { tree: { value: '1.0.0' } }]);
  });
});

test('variables of a workflow are those of its stages', () => {
  const text = `${head}config: { timeout: 1h, env: { A: "x \${{ workflow.name }}", N: 3 } }\nstages:\n  - { id: one, roles: { primary: { artifact: "agent:plain" } } }\n`;
  expect(read(text)).toMatchObject({
    timeout: 3_600_000,
    env: { A: [{ text: 'x ' }, { tree: { value: 'W' } }], N: [{ text: '3' }] },
  });
});

describe('an expression', () => {
  const conditioned = (condition: string) =>
    JSON.stringify({
      workflow: { id: 'w', name: 'W', version: '1.0.0' },
      stages: [
        { id: 'one', condition: `\${{ ${condition} }}`, roles: { primary: { artifact: 'agent:plain' } } },
      ],
    });

  test.each([
    ['parameters.__proto__', 'E_UNKNOWN_NAME'],
    ["run['constructor']['constructor']", 'E_UNKNOWN_NAME'],
    ['stages.__proto__.outputs', 'E_UNKNOWN_NAME'],
    ['process.env', 'E_EXPRESSION'],
    ['length.constructor', 'E_EXPRESSION'],
    [`${'('.repeat(100_000)}1${')'.repeat(100_000)}`, 'E_EXPRESSION'],
    [`${'!'.repeat(5_000)}true`, 'E_EXPRESSION'],
  ])('reaches nothing but values, and has a bound: %.40s', (condition, code) => {
    const result = parseWorkflow(conditioned(condition), 'w.json', withFiles());
    expect(result.ok ? [] : result.problems).toMatchObject([{ code }]);
  });

  test.each(['context.__proto__.polluted', 'context.constructor.name'])(
    'finds nothing at %s',
    (condition) => {
      const { when } = read(conditioned(condition)).body.steps[0]!;
      expect(evaluate(when!, { context: { a: 1 } }, machineLanguage, 'condition')).toEqual({
        ok: true,
        value: null,
      });
    },
  );
});

test('a stage is given the MCP servers that it names, if its program can be given any', () => {
  const text = `${head}stages:\n  - { id: one, roles: { primary: { artifact: "agent:plain" }, tools: ["mcp:hub", "mcp:db"] } }\n`;
  expect(read(text).body.steps[0]!.work).toMatchObject({ mcp: ['hub', 'db'] });
  const context = { ...withFiles({}), withoutMcp: new Map([['claude', 'it has none']]) };
  const refused = parseWorkflow(text, 'w.yaml', context);
  expect(refused.ok ? [] : refused.problems.map(({ message }) => message)).toEqual([
    'the MCP servers `hub`, `db` cannot be connected to `claude`: it has none',
  ]);
});

test.each([
  ['0.9', '- Known.', ''],
  ['high', '', 'memory/a.md is left out: its `confidence` is not a number from 0 to 1'],
  ['7', '', 'memory/a.md is left out: its `confidence` is not a number from 0 to 1'],
])('a memory with the confidence %s', (confidence, remembered, warning) => {
  const files = { 'memory/a.md': `---\nconfidence: ${confidence}\n---\nKnown.\n` };
  const text = `${head}context: { memory: { max_tokens: 50 } }\nstages:\n  - { id: one, roles: { primary: { artifact: "agent:plain" } } }\n`;
  const result = parseWorkflow(text, 'w.yaml', withFiles(files));
  const step = result.ok ? (result.value.body.steps[0]!.work as Agent) : null;
  const prompt = (step?.instructions ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('');
  expect(prompt.includes('Known.')).toBe(remembered !== '');
  expect((result.ok ? result.warnings : result.problems).map(({ message }) => message).join()).toBe(warning);
});

describe('overrides', () => {
  const shared = `${head}config: { parameters: { branch: { type: string, default: main } } }
stages:
  - { id: one, roles: { primary: { artifact: "agent:plain", model: opus }, tools: ["skill:a", "skill:b"] } }
  - { id: two, roles: { primary: { artifact: "agent:plain" } } }
`;
  const first = '.skillmeat-workflow-overrides.yaml';
  const second = 'workflows/overrides.yaml';

  test('change leaves, replace lists, and the later file wins', () => {
    const files = {
      [first]:
        'overrides:\n  w: { stages: { one: { roles: { primary: { artifact: "agent:said" } } } }, config: { parameters: { branch: { default: a } } } }\n',
      [second]: 'overrides:\n  w: { config: { parameters: { branch: { default: b } } } }\n',
    };
    const workflow = read(shared, withFiles(files));
    expect(workflow.parameters['branch']).toMatchObject({ type: 'string', default: 'b' });
    expect(workflow.body.steps.map(({ work }) => (work as Agent).provider)).toEqual(['codex', 'claude']);
    expect((workflow.body.steps[0]!.work as Agent).model).toBe('opus');
  });

  test.each([
    [
      'overrides:\n  w:\n    stages: { tow: { condition: "1" } }\n',
      ['3:15 E_UNKNOWN_NAME no stage is called `tow`'],
    ],
    [
      'overrides:\n  w:\n    stages: [one]\n',
      ['3:13 E_VALUE `stages` must be a mapping by stage id in an override'],
    ],
    [
      'overrides:\n  w:\n    config: { timeout: soon }\n',
      ['3:24 E_VALUE `timeout` must be a duration such as 200ms, 30s, 5m or 1h30m'],
    ],
    [
      'w: {}\n',
      ['1:1 E_MISSING_KEY `overrides` is missing', '1:1 E_UNKNOWN_KEY `w` is not a key of an overrides file'],
    ],
  ])('that are wrong are told of where they stand: %j', (text, expected) => {
    const result = parseWorkflow(shared, 'w.yaml', withFiles({ [second]: text }));
    const problems = result.ok ? [] : result.problems.filter(({ severity }) => severity === 'error');
    expect(
      problems.map(({ place, code, message }) => `${place?.line}:${place?.column} ${code} ${message}`),
    ).toEqual(expected);
    expect(problems.every(({ place }) => place?.file === second)).toBe(true);
  });
});

test.each([
  ['SUCCEEDED', 0, 'success'],
  ['SKIPPED', undefined, 'skipped'],
  ['CANCELLED', undefined, 'cancelled'],
  ['FAILED', 2, 'failed'],
  ['FAILED', 124, 'timed_out'],
])('a stage that is %s with %s is %s in expressions', (status, code, word) => {
  const text = `${head}stages:
  - { id: one, roles: { primary: { artifact: "agent:plain" } } }
  - { id: two, depends_on: [one], condition: "\${{ stages.one.status }}", roles: { primary: { artifact: "agent:plain" } } }
`;
  const { when } = read(text).body.steps[1]!;
  const steps = { one: { status, ...(code === undefined ? {} : { exit_code: code }) } };
  expect(evaluate(when!, { steps }, machineLanguage, 'condition')).toEqual({ ok: true, value: word });
});

test('lowering loses no dependency, no condition and no policy', () => {
  const policy = fc.record(
    {
      on_failure: fc.constantFrom('halt', 'continue', 'skip_dependents'),
      attempts: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: [] },
  );
  const stages = fc.array(
    fc.record({ needs: fc.array(fc.nat(20), { maxLength: 4 }), guarded: fc.boolean(), policy }),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(stages, (drawn) => {
      const written = drawn.map(({ needs, guarded, policy: { on_failure, attempts } }, index) => {
        const before = index === 0 ? [] : [...new Set(needs.map((need) => `s${need % index}`))];
        return {
          id: `s${index}`,
          depends_on: before,
          condition:
            guarded && before[0] !== undefined ? `\${{ stages.${before[0]}.status == 'success' }}` : null,
          roles: { primary: { artifact: 'agent:plain' } },
          error_policy: {
            on_failure,
            retry: attempts === undefined ? undefined : { max_attempts: attempts },
          },
        };
      });
      const file = JSON.parse(
        JSON.stringify({ workflow: { id: 'w', name: 'W', version: '1.0.0' }, stages: written }),
      ) as object;
      const { steps } = read(stringify(file)).body;
      const policies = { halt: 'abort', continue: 'continue', skip_dependents: 'skip-dependents' } as const;
      expect(
        steps.map(({ id, needs, when, onFailure, retry }) => [
          id,
          needs.map((need) => need.step),
          when !== null,
          onFailure,
          retry.max,
        ]),
      ).toEqual(
        written.map(({ id, depends_on: needs, condition, error_policy: { on_failure: on, retry } }) => [
          id,
          needs,
          condition !== null,
          policies[on ?? 'halt'],
          (retry?.max_attempts ?? 2) - 1,
        ]),
      );
    }),
  );
});
