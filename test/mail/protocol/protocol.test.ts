import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { defaultConfig, type Config } from '../../../src/config/config.ts';
import type { Protocol, Role } from '../../../src/mail/format/protocol.ts';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';
import type { ProtocolOptions } from '../../../src/mail/protocol/read.ts';

const example = readFileSync(new URL('feature-team.yaml', import.meta.url), 'utf8');

function read(texts: string | readonly string[], config?: Config, options?: ProtocolOptions): Protocol {
  const files = [texts].flat().map((text, index) => ({ file: `${index}.yaml`, text }));
  const result = parseProtocol(files, config, options);
  if (!result.ok) throw new Error(result.problems.map((problem) => problem.message).join('\n'));
  return result.value;
}

/** What is wrong, as `file:line:column severity code`. */
function wrong(texts: string | readonly string[], config?: Config, options?: ProtocolOptions): string[] {
  const files = [texts].flat().map((text, index) => ({ file: `${index}.yaml`, text }));
  const result = parseProtocol(files, config, options);
  return (result.ok ? result.warnings : result.problems).map(
    ({ place, severity, code }) => `${place?.file}:${place?.line}:${place?.column} ${severity} ${code}`,
  );
}

function role(text: string, config?: Config): Role {
  const protocol = read(`roles: { worker: ${text} }\nmessages: { task: { from: user, to: worker } }`, config);
  return protocol.roles.get('worker')!;
}

describe('the example of the manual', () => {
  const protocol = read(example);

  test('is read with every default filled in', () => {
    expect(protocol).toMatchObject({
      name: 'feature-team',
      version: '1',
      workspace: { kind: 'worktree', per: 'thread' },
      limits: {
        turnsPerThread: 40,
        corrections: 2,
        nesting: 3,
        threadBudget: { usd: 20, tokens: null },
        dayBudget: { usd: 100, tokens: null },
        budgetAlert: null,
      },
      start: { type: 'task', to: 'architect' },
    });
    expect([...protocol.roles.keys()]).toEqual(['user', 'architect', 'engineer', 'qa']);
    expect(protocol.roles.get('engineer')).toEqual({
      name: 'engineer',
      provider: 'codex',
      fallback: [],
      model: null,
      capabilities: ['READ', 'EDIT', 'RUN_TESTS'],
      timeout: 7_200_000,
      idleTimeout: null,
      concurrency: 1,
      session: 'thread',
      network: true,
      agent: null,
      instructions: null,
      retries: 2,
      budget: { usd: 2, tokens: 400_000 },
      expects: [{ kind: 'any', types: ['design', 'review-feedback', 'answer'] }],
      env: {},
    });
    expect(protocol.types.get('question')).toEqual({
      name: 'question',
      from: ['engineer', 'qa'],
      to: ['architect', 'user'],
      toAll: false,
      reply: ['answer'],
      blocking: 'role',
      timeout: 1_800_000,
      onTimeout: 'escalate',
      escalateTo: 'user',
      checks: [],
      fields: {},
      closes: false,
      lands: null,
      opens: null,
    });
    expect(protocol.types.get('review-request')).toMatchObject({
      onTimeout: 'fail',
      checks: [
        { kind: 'run', argv: ['npm', 'test'], timeout: 300_000, on: 'own' },
        { kind: 'changed', globs: ['src/**'] },
      ],
    });
    expect(protocol.types.get('review-feedback')?.fields).toEqual({
      verdict: {
        type: 'string',
        enum: ['approved', 'changes_requested'],
        required: true,
        default: null,
        description: null,
      },
    });
    expect(protocol.types.get('delivered')).toMatchObject({
      closes: true,
      lands: null,
      blocking: 'none',
      reply: [],
      onTimeout: 'fail',
    });
  });

  test('may be spread over several files', () => {
    const cut = example.indexOf('messages:');
    const cutAgain = example.indexOf('expects:');
    const parts = [example.slice(0, cut), example.slice(cut, cutAgain), example.slice(cutAgain)];
    expect(read(parts)).toEqual(protocol);
    expect(read(parts.toReversed())).toEqual(protocol);
  });
});

test('no file, or an empty one, is a protocol in which a person is alone', () => {
  for (const texts of [[], '', '# nothing\n', 'roles:\n']) {
    if (texts === 'roles:\n') expect(wrong(texts)).toEqual(['0.yaml:1:1 error E_VALUE']);
    else
      expect(read(texts)).toMatchObject({
        name: 'mailroom',
        version: '1',
        start: null,
        workspace: { kind: 'folder', path: '.' },
      });
  }
  expect([...read([]).roles.values()]).toMatchObject([{ name: 'user', provider: 'human', expects: [] }]);
});

describe('a role', () => {
  const asking = { kind: 'any', types: ['question'] };
  test('has our defaults where no one says otherwise', () => {
    expect(role('{ provider: claude }')).toEqual({
      name: 'worker',
      provider: 'claude',
      fallback: [],
      model: null,
      capabilities: ['READ'],
      timeout: 7_200_000,
      idleTimeout: null,
      concurrency: 1,
      session: 'fresh',
      network: true,
      agent: null,
      instructions: null,
      retries: 2,
      budget: null,
      expects: [{ kind: 'any', types: ['task'] }, asking],
      env: {},
    });
  });

  const ofRoles: Omit<Config['defaults'], 'maxTokens'> = {
    provider: 'claude',
    fallback: ['codex'],
    model: 'opus',
    capabilities: ['READ', 'EDIT'],
    timeout: 1000,
    idleTimeout: 500,
    concurrency: 3,
    session: 'thread',
    retries: 0,
    budget: { usd: 1, tokens: null },
  };
  const defaults: Config['defaults'] = { ...ofRoles, maxTokens: 9 };

  test('takes the defaults of mailroom.yaml', () => {
    expect(role('{}', { ...defaultConfig, defaults })).toMatchObject(ofRoles);
  });

  test('says otherwise, key by key; another provider does not take the default model', () => {
    const text = `{ provider: codex, capabilities: [EDIT, EDIT, READ], timeout: 1m, idle_timeout: 2s, concurrency: 2,
      session: fresh, retries: 1, budget: { tokens: 2M }, env: { A: b }, expects: [{ all: task }] }`;
    expect(role(text, { ...defaultConfig, defaults })).toEqual({
      name: 'worker',
      provider: 'codex',
      fallback: [],
      model: null,
      capabilities: ['READ', 'EDIT'],
      timeout: 60_000,
      idleTimeout: 2000,
      concurrency: 2,
      session: 'fresh',
      network: true,
      agent: null,
      instructions: null,
      retries: 1,
      budget: { usd: 1, tokens: 2_000_000 },
      expects: [{ kind: 'all', types: ['task'] }, asking],
      env: { A: 'b' },
    });
    expect(
      role('{ provider: codex }', { ...defaultConfig, defaults: { ...defaults, provider: null } }).model,
    ).toBe('opus');
    expect(role('{ provider: claude }', { ...defaultConfig, defaults }).model).toBe('opus');
  });

  test.each([
    ['4000', 4000],
    ['"4000"', 4000],
    ['400k', 400_000],
    ['1.5M', 1_500_000],
    ['0', 0],
  ])('tokens: %s', (text, tokens) => {
    expect(role(`{ provider: claude, budget: { tokens: ${text} } }`).budget).toEqual({ usd: null, tokens });
  });
});

describe('a message type', () => {
  const roles = 'roles: { a: { provider: claude }, b: { provider: claude } }\n';
  const answer = '  answer: { from: b, to: a }\n  task: { from: user, to: a }\n';

  test.each([
    ['true', 'role'],
    ['role', 'role'],
    ['thread', 'thread'],
    ['false', 'none'],
  ])('blocking: %s', (text, blocking) => {
    const protocol = read(
      `${roles}messages:\n${answer}  ask: { from: a, to: b, reply: answer, blocking: ${text} }`,
    );
    expect(protocol.types.get('ask')?.blocking).toBe(blocking);
  });

  test('is escalated where the other may answer everybody who asks, else it fails', () => {
    const policy = (reply: string, more = ''): string | undefined =>
      read(
        `${roles}messages:\n  task: { from: user, to: [a, b] }\n  ask: { from: [a, b], to: [a, b], reply: answer${more} }\n  answer: ${reply}`,
      ).types.get('ask')?.onTimeout;
    expect(policy('{ from: [a, b, user], to: [a, b] }')).toBe('escalate');
    expect(policy('{ from: [a, b], to: [a, b] }')).toBe('fail');
    expect(policy('{ from: [a, b, user], to: [a, b] }', ', on_timeout: proceed')).toBe('proceed');
    expect(policy('{ from: [a, b, user], to: [a, b] }', ', on_timeout: fail')).toBe('fail');
    expect(policy('{ from: [a, b], to: [a, b] }', ', escalate_to: b')).toBe('escalate');
  });

  test('a request of a person is not escalated to that person', () => {
    const text = `${roles}messages: { ask: { from: user, to: [a, b], reply: done }, done: { from: [a, b, user], to: user } }`;
    expect(read(text).types.get('ask')?.onTimeout).toBe('fail');
  });

  test('a gate has five minutes, or what it says', () => {
    const text = `${roles}messages: { task: { from: user, to: [a, b], gates: [{ run: [make] }, { run: [make], timeout: 2s }, { changed: src }] } }`;
    expect(read(text).types.get('task')?.checks).toEqual([
      { kind: 'run', argv: ['make'], timeout: 300_000, on: 'own' },
      { kind: 'run', argv: ['make'], timeout: 2000, on: 'own' },
      { kind: 'changed', globs: ['src'] },
    ]);
  });
});

describe('limits', () => {
  const limits = {
    turnsPerThread: 7,
    corrections: null,
    tasksPerHour: null,
    nesting: 0,
    threadBudget: { usd: 5, tokens: 10 },
    dayBudget: { usd: null, tokens: null },
    budgetAlert: null,
  };

  test('are those of the protocol, else of mailroom.yaml, else ours, key by key', () => {
    expect(
      read('limits: { turns_per_thread: 9, budget: { thread: { usd: 6 } } }', { ...defaultConfig, limits })
        .limits,
    ).toEqual({
      turnsPerThread: 9,
      tasksPerHour: 200,
      corrections: 2,
      nesting: 0,
      threadBudget: { usd: 6, tokens: 10 },
      dayBudget: { usd: null, tokens: null },
      budgetAlert: null,
    });
  });

  test('of money want a budget of every agent, from the role or the defaults', () => {
    const text =
      'roles: { a: { provider: claude }, p: { provider: human } }\nmessages: { task: { from: user, to: [a, p] } }';
    expect(wrong(text, { ...defaultConfig, limits })).toEqual(['0.yaml:1:10 error E_PROTOCOL']);
    const defaults = { ...defaultConfig.defaults, budget: { usd: 1, tokens: 1 } };
    expect(wrong(text, { ...defaultConfig, limits, defaults })).toEqual([]);
  });
});

test('processes at once: mailroom.yaml, else the cores', () => {
  expect(read('', { ...defaultConfig, concurrency: 3 }, { cores: 8 }).concurrency).toBe(3);
  expect(read('', defaultConfig, { cores: 8 }).concurrency).toBe(8);
});

test.each([
  ['.', '.'],
  ['./', '.'],
  ['src/app/', 'src/app'],
  ['./src//app', 'src/app'],
  ['a..b', 'a..b'],
])('workspace: %s', (text, path) => {
  expect(read(`workspace: ${text}`).workspace).toEqual({ kind: 'folder', path });
});

test.each(['..', 'a/../..', '/', '/tmp', 'C:/a', 'a\\..\\b', '~/../a'])(
  'workspace: %s would leave the project',
  (text) => {
    expect(wrong(`workspace: ${text}`)).toEqual(['0.yaml:1:12 error E_PATH']);
  },
);

describe('permissions that a provider can only widen', () => {
  const text =
    'roles: { a: { provider: mine }, b: { provider: claude } }\nmessages: { task: { from: user, to: [a, b] } }';
  const mine = {
    name: 'mine',
    kind: 'claude',
    command: null,
    arguments: [],
    env: [],
    writable: [],
    tests: null,
    prices: null,
  } as const;
  const config = { ...defaultConfig, providers: new Map([['mine', mine]]) };
  const options = {
    broaderThanRequested: new Map([
      ['mine', (rights: readonly string[]) => rights.map((right) => `more than ${right}`)],
    ]),
  };

  test('are a warning, which comes with the value', () => {
    expect(wrong(text, config, options)).toEqual(['0.yaml:1:10 warning E_CAPABILITY']);
    expect(parseProtocol([{ file: 'p.yaml', text }], config, options).ok).toBe(true);
  });

  test('are looked for in those who stand in, too, whose names must be known', () => {
    const standing =
      'roles: { a: { provider: claude, fallback: [mine] } }\nmessages: { task: { from: user, to: a } }';
    expect(wrong(standing, config, options)).toEqual(['0.yaml:1:10 warning E_CAPABILITY']);
    for (const name of ['clade', 'human'])
      expect(wrong(standing.replace('[mine]', `[${name}]`), config, options)).toEqual([
        '0.yaml:1:44 error E_UNKNOWN_NAME',
      ]);
  });

  test.each([{ capabilities: 'strict' }, { sandbox: 'required' }] as const)(
    'are an error by %j',
    (setting) => {
      expect(wrong(text, { ...config, ...setting }, options)).toEqual(['0.yaml:1:10 error E_CAPABILITY']);
    },
  );
});

describe('mistakes', () => {
  test('in one part do not hide those in another, nor make up new ones', () => {
    const text = `roles:
  a: { provider: claude, retries: many }
  b: { provider: claude }
messages:
  task: { from: user, to: [a, b] }
  ask: { from: a, to: b, reply: [answer], blocking: maybe }
  answer: { from: b, to: a }
  note: { from: a, to: bb }
expects: { b: [{ any: [ask, task] }] }
start: { type: ask, to: b }
`;
    expect(wrong(text)).toEqual([
      '0.yaml:2:35 error E_VALUE',
      '0.yaml:6:53 error E_VALUE',
      '0.yaml:8:24 error E_UNKNOWN_NAME',
    ]);
  });

  test('are reported in the order of the files and lines', () => {
    expect(wrong(['roles: { a: 1 }\nname: 2', 'x: 1', 'a: [', 'start: { type: 3, to: a }'])).toEqual([
      '0.yaml:1:13 error E_VALUE',
      '0.yaml:2:7 error E_VALUE',
      '1.yaml:1:1 error E_UNKNOWN_KEY',
      '2.yaml:1:5 error E_YAML',
      '3.yaml:1:16 error E_VALUE',
    ]);
  });

  test('in a key that is near to none are answered with all that there are', () => {
    const result = parseProtocol([{ file: 'p.yaml', text: 'zzzzzz: 1' }]);
    expect(result.ok ? null : result.problems[0]?.hint).toBe(
      'the keys are extends, name, version, workspace, roles, messages, expects, limits, start',
    );
  });

  test('in what was escalated, expected and started with built-in names', () => {
    const text = `roles: { a: { provider: claude } }
messages:
  task: { from: [user, workflow], to: a }
expects: { a: [{ any: [task, step, notice] }], user: [] }
start: { type: step, to: a }
`;
    expect(wrong(text)).toEqual(['0.yaml:5:16 error E_PROTOCOL']);
  });
});
