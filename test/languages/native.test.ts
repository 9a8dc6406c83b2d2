import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Step, Workflow } from '../../src/workflow/model.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { type LanguageContext } from '../../src/languages/shared/context.ts';
import { nowhere } from '../support/nowhere.ts';

function read(text: string, context: LanguageContext = nowhere): Workflow {
  const result = parseWorkflow(text, 'a.yaml', context);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.value;
}

/** The only step of a workflow, written on one line. */
function step(text: string, context?: LanguageContext): Step {
  return read(`name: x\nversion: "1"\ntimeout: 1h\nsteps:\n  one: ${text}\n`, context).body.steps[0]!;
}

/** `line:column severity code` of everything that is said. */
function told(text: string, context: LanguageContext = nowhere): string[] {
  const result = parseWorkflow(text, 'a.yaml', context);
  return (result.ok ? result.warnings : result.problems).map(
    ({ place, severity, code }) => `${place?.line}:${place?.column} ${severity} ${code}`,
  );
}

const script = "worker: CUSTOM, instructions: 'true', capabilities: []";

describe('what is not said', () => {
  test('of a workflow', () => {
    expect(read('name: x\nversion: 1\ntimeout: 30m\nsteps: { one: { command: [make] } }\n')).toMatchObject({
      language: 'native',
      version: '1',
      description: null,
      timeout: 1_800_000,
      concurrency: null,
      contextDir: 'context',
      parameters: {},
      env: {},
      secrets: [],
      budget: { usd: null, tokens: null },
      triggers: [],
      hooks: [],
    });
  });

  test('of a step', () => {
    expect(step(`{ worker: CODEX_CLI, instructions: Do it., capabilities: [EDIT, READ] }`)).toEqual({
      id: 'one',
      description: null,
      needs: [],
      join: 'all',
      when: null,
      work: {
        kind: 'agent',
        provider: 'codex',
        model: null,
        instructions: [{ kind: 'text', text: 'Do it.' }],
        capabilities: ['READ', 'EDIT'],
        maxSteps: null,
        maxCommandTime: null,
      },
      workspace: null,
      env: {},
      secrets: null,
      stdin: null,
      stdout: null,
      inputs: [],
      outputs: [],
      values: {},
      timeout: 7_200_000,
      grace: null,
      retry: { max: 0, base: 1_000, factor: 2, cap: 30_000, jitter: true, codes: null },
      onFailure: 'abort',
      check: null,
      budget: null,
      next: null,
    });
  });

  test.each([
    ['worker: CLAUDE_CODE', 7_200_000],
    ['provider: claude', 7_200_000],
    ['worker: CLAUDE_CODE, on_failure: retry, max_retries: 1', 7_200_000],
    ['worker: CLAUDE_CODE, timeout: 9h', 32_400_000],
    ['worker: CUSTOM', null],
  ])('of the time of a step with %s', (work, timeout) => {
    expect(step(`{ ${work}, instructions: x, capabilities: [READ] }`).timeout).toBe(timeout);
  });

  test.each([
    ['timeout: 8m', 120_000],
    ['on_failure: continue', 300_000],
    ['timeout: 8m, description: a', 120_000],
  ])('of a check: with %s it takes %d ms', (more, timeout) => {
    const check = `completion_check: { ${script} }, max_iterations: 2`;
    expect(step(`{ ${script}, ${more}, ${check} }`).check).toMatchObject({
      timeout,
      decisionFile: null,
      maxIterations: 2,
      onExhausted: 'abort',
      convergence: null,
    });
  });

  test('of a gate, a loop, an input and an output', () => {
    const text = `name: x
version: "1"
timeout: 1h
steps:
  make: { command: [make], outputs: [{ name: plan, path: plan.md }] }
  use: { command: [make], depends_on: [make], inputs: [{ from: make, artifact: plan }] }
  ask: { gate: { message: Ship it? } }
  each: { for_each: { items: [1], steps: { a: { command: [make] } } } }
`;
    const [make, use, ask, each] = read(text).body.steps;
    expect(make?.outputs).toMatchObject([{ name: 'plan', type: null, required: false }]);
    expect(use?.inputs).toEqual([{ from: 'make', artifact: 'plan', as: 'plan', required: false }]);
    expect(ask?.work).toMatchObject({ kind: 'gate', approvers: [], timeout: null, onTimeout: 'abort' });
    expect(each?.work).toMatchObject({ kind: 'for-each', as: 'item', concurrency: 1 });
  });

  test('of convergence', () => {
    const check = `completion_check: { ${script} }, max_iterations: 2, convergence: { enabled: true }`;
    expect(step(`{ ${script}, ${check} }`).check?.convergence).toEqual({
      stallThreshold: 2,
      maxStage: 3,
      failOnMaxStage: true,
      stages: [],
      allowedPaths: [],
      ignoredPaths: [],
      diffBase: { kind: 'ref', ref: 'HEAD' },
      maxChangedFiles: null,
    });
  });
});

test.each([
  ['CODEX_CLI', 'codex'],
  ['CLAUDE_CODE', 'claude'],
  ['GEMINI_CLI', 'gemini'],
  ['OPENCODE', 'opencode'],
])('the worker %s is the provider %s', (worker, provider) => {
  expect(step(`{ worker: ${worker}, instructions: x, capabilities: [READ] }`).work).toMatchObject({
    kind: 'agent',
    provider,
  });
});

test('retries act with `retry` alone', () => {
  expect(step(`{ ${script}, on_failure: retry, max_retries: 3 }`).retry).toMatchObject({ max: 3, base: 100 });
  expect(step(`{ ${script}, on_failure: continue, max_retries: 3 }`).retry.max).toBe(0);
});

test('only a workspace that is written literally may lie outside', () => {
  expect(step(`{ ${script}, workspace: ../other }`).workspace?.outside).toBe(true);
  const text = `name: x\nversion: "1"\ntimeout: 1h\nparameters: { a: {} }\nsteps:\n  one: { ${script}, workspace: "\${{ parameters.a }}" }\n`;
  expect(read(text).body.steps[0]?.workspace?.outside).toBe(false);
});

test('a script gets what its expressions say by its environment', () => {
  const { work } = step(`{ worker: CUSTOM, instructions: 'echo "\${{ run.id }}"', capabilities: [] }`);
  expect(work).toMatchObject({
    kind: 'script',
    script: { text: expect.not.stringContaining('${{') as string },
  });
  expect(Object.keys(work.kind === 'script' ? work.script.variables : {})).toHaveLength(1);
});

test('a definition is plain data', () => {
  const text = readFileSync(new URL('ship-feature.yaml', import.meta.url), 'utf8');
  const workflow = read(text);
  expect(JSON.parse(JSON.stringify(workflow))).toEqual(workflow);
  expect(told(text)).toEqual([]);
});

describe('a sub-workflow', () => {
  const child =
    'name: child\nversion: "1"\ntimeout: 1m\nparameters: { n: { type: integer } }\nsteps: { a: { command: [make] } }\n';
  const asked: string[] = [];
  const around: LanguageContext = {
    ...nowhere,
    load: (path, from) => {
      asked.push(`${path} from ${from}`);
      return { ok: true, file: `parts/${path}`, text: child };
    },
  };

  test('is read once, and lies inside', () => {
    const text =
      'name: x\nversion: "1"\ntimeout: 1h\nsteps:\n  a: { workflow: c.yaml, with: { n: 3 } }\n  b: { workflow: c.yaml }\n';
    const [a, b] = read(text, around).body.steps;
    expect(asked).toEqual(['c.yaml from a.yaml', 'c.yaml from a.yaml']);
    expect(a?.work).toMatchObject({ kind: 'workflow', workflow: { name: 'child' }, exports: [] });
    expect(a?.work.kind === 'workflow' && b?.work.kind === 'workflow' && a.work.workflow).toBe(
      b?.work.kind === 'workflow' ? b.work.workflow : null,
    );
    expect(a?.work.kind === 'workflow' ? a.work.with['n'] : null).toMatchObject([
      { kind: 'expression', tree: { kind: 'literal', value: 3 } },
    ]);
  });

  test('that doubles itself again and again is refused', () => {
    const doubling: LanguageContext = {
      ...nowhere,
      load: (path) => {
        const level = Number.parseInt(path, 10);
        const steps =
          level === 0
            ? 'a: { command: [make] }'
            : [0, 1, 2, 3].map((n) => `s${n}: { workflow: "${level - 1}" }`).join(', ');
        return { ok: true, file: path, text: `name: x\nversion: "1"\ntimeout: 1h\nsteps: { ${steps} }\n` };
      },
    };
    const text = 'name: x\nversion: "1"\ntimeout: 1h\nsteps: { a: { workflow: "15" } }\n';
    expect(told(text, doubling)).toContain('4:25 error E_WORKFLOW');
    expect(told(text.replace('15', '40'), doubling)).toContain('4:26 error E_WORKFLOW');
  });
});

describe('permissions that are broader than requested', () => {
  const text =
    'name: x\nversion: "1"\ntimeout: 1h\nsteps:\n  a: { worker: CODEX_CLI, instructions: x, capabilities: [READ] }\n';
  const broaderThanRequested = new Map([['codex', () => ['it runs commands']]]);

  test('are a warning, and with `strict` an error', () => {
    expect(told(text, { ...nowhere, broaderThanRequested })).toEqual(['5:58 warning E_CAPABILITY']);
    expect(told(text, { ...nowhere, broaderThanRequested, strict: true })).toEqual([
      '5:58 error E_CAPABILITY',
    ]);
    expect(told(text)).toEqual([]);
  });

  test('are bounds, too, that nothing holds an agent to: each is named where it stands', () => {
    const bounds = 'max_steps: 3, max_command_time: 5m, variant: high';
    const check = `completion_check: { worker: OPENCODE, instructions: x, capabilities: [READ], ${bounds} }, max_iterations: 2`;
    const file = `name: n
version: "1"
timeout: 1h
steps:
  a:
    { worker: CODEX_CLI, instructions: x, capabilities: [READ], ${bounds},
      ${check} }
`;
    const notEnforced = new Map([
      ['codex', ['max_steps', 'max_command_time']],
      ['opencode', ['max_command_time', 'variant']],
    ] as const);
    const result = parseWorkflow(file, 'a.yaml', { ...nowhere, notEnforced });
    expect(result.ok && result.warnings.map(({ place, message }) => [place?.line, message])).toEqual([
      [6, 'nothing holds `codex` to `max_steps`'],
      [6, 'nothing holds `codex` to `max_command_time`'],
      [7, 'nothing holds `opencode` to `max_command_time`'],
      [7, 'nothing holds `opencode` to `variant`'],
    ]);
    expect(told(file)).toEqual([]);
  });

  test('are no matter of scripts', () => {
    expect(
      told(text.replace('CODEX_CLI', 'CUSTOM'), { ...nowhere, broaderThanRequested, strict: true }),
    ).toEqual([]);
  });
});

test('where there is no protocol, there is the user, who gets no messages that start a run', () => {
  const file = (role: string) => `name: x
version: "1"
timeout: 1h
triggers: { mail: { message: { role: ${role}, type: task } } }
hooks: { on_failure: { notify: ${role} } }
steps:
  ask: { role: ${role}, instructions: Which? }
`;
  expect(told(file('user'))).toEqual(['4:38 error E_UNKNOWN_NAME']);
  expect(told(file('architect'))).toEqual([
    '4:38 error E_UNKNOWN_NAME',
    '5:32 error E_UNKNOWN_NAME',
    '7:16 error E_UNKNOWN_NAME',
  ]);
});

describe('what comes before', () => {
  const steps = (last: string) =>
    `name: x\nversion: "1"\ntimeout: 1h\nsteps:\n${Array.from({ length: 100 }, (_, index) => `  s${index}: { command: [make]${index === 0 ? '' : `, depends_on: [s${index - 1}]`} }\n`).join('')}  last: { command: [echo, "${last}"], depends_on: [s99] }\n  other: { command: [make] }\n`;

  test('may be any number of steps away', () => {
    for (const id of ['s0', 's42', 's99', 'S7'])
      expect(told(steps(`\${{ steps.${id}.status }}`))).toEqual([]);
    expect(told(steps('${{ steps.other.status }}'))).toEqual(['105:38 error E_EXPRESSION']);
    expect(told(steps('${{ steps.last.status }}'))).toEqual(['105:38 error E_EXPRESSION']);
  });

  test('is asked of many steps at once', () => {
    const all = Array.from({ length: 100 }, (_, index) => `\${{ steps.s${index}.status }}`).join('');
    expect(told(steps(all))).toEqual([]);
    expect(told(steps(`${all}\${{ steps.other.status }}`))).toHaveLength(1);
  });
});

test('an input named like a file is a folder, which is said where it is written', () => {
  const taking = (as: string) => `name: x
version: "1"
timeout: 1h
steps:
  make: { command: [make], outputs: [{ name: d, path: d.txt }] }
  use:
    command: [make]
    depends_on: [make]
    inputs:
      - { from: make, artifact: d, as: ${as} }
`;
  expect(told(taking('given/e.txt'))).toEqual(['10:36 warning E_WORKFLOW']);
  for (const folder of ['given', 'v1.2', '.config', 'a.b/c']) expect(told(taking(folder))).toEqual([]);
});

test('fields of a crontab line may be aligned with several blanks', () => {
  const { triggers } = read(
    'name: x\nversion: "1"\ntimeout: 1h\ntriggers: { t: { cron: " 0,30  3\\t*  * * " } }\nsteps: { one: { command: [make] } }\n',
  );
  expect(triggers).toMatchObject([{ kind: 'cron', expression: '0,30 3 * * *' }]);
});
