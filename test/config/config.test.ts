import { describe, expect, test } from 'vitest';
import { acpAgents, defaultConfig, providerNames } from '../../src/config/config.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/read.ts';

function read(text: string): Config {
  const result = parseConfig(text, 'mailroom.yaml');
  if (!result.ok) throw new Error(result.problems.map((problem) => problem.message).join('\n'));
  return result.value;
}

function wrong(text: string): string[] {
  const result = parseConfig(text, 'mailroom.yaml');
  return result.ok ? [] : result.problems.map(({ place, code }) => `${place?.line}:${place?.column} ${code}`);
}

test.each(['', '# nothing\n', '{}', '---\n'])('%j is the default', (text) => {
  expect(read(text)).toEqual(defaultConfig);
});

test('everything at once', () => {
  const config = read(`
providers:
  scripted: { command: [node, agent.mjs] }
  claude: { env: [ANTHROPIC_API_KEY, AWS_*], prices: { input: 3, output: 15.5 } }
  other:
    kind: codex
    command: [/opt/codex]
    arguments: [-c, a=b]
    writable: [/var/cache/codex]
    tests: [npm test]
prices:
  gpt-9: { input: 3, cached: 0.3, output: 15 }
defaults:
  provider: other
  model: gpt
  capabilities: [RUN_TESTS, READ]
  timeout: 20m
  idle_timeout: 90s
  max_tokens: 9000
  concurrency: 2
  session: thread
  retries: 0
  budget: { usd: 1.5, tokens: 400k }
trail: { branch: post/mail }
sandbox: required
capabilities: strict
limits: { turns_per_thread: 9, corrections: 0, nesting: 1, budget: { thread: { usd: 2 }, day: { tokens: 2M } } }
concurrency: 3
webhooks: { port: 9000 }
inbox_patterns: ['*.txt']
notify: { user: [notify-send, Mailroom], slack: { command: [./slack.sh], env: [SLACK_*] } }
mcp: off
protected: [main]
nip: { publishDefinitions: true, maxSteps: 7, defaultTimeout: 60, msats_per_usd: 1000000, maxBudget: 5000, relays: [wss://relay.example.com, 'ws://127.0.0.1:7777/'] }
workers: { queue: 'redis://queue.example', git: https://git.example/shop.git, lease: 90s }
channels:
  hub: { kind: github, repository: acme/shop, people: { Octocat: user }, approvers: [Octocat], api: https://hub.example/api/ }
`);
  const nothing = { command: null, arguments: [], env: [], writable: [], tests: null, prices: null };
  expect(config).toEqual({
    providers: new Map([
      ['scripted', { ...nothing, name: 'scripted', kind: 'command', command: ['node', 'agent.mjs'] }],
      [
        'claude',
        {
          ...nothing,
          name: 'claude',
          kind: 'claude',
          env: ['ANTHROPIC_API_KEY', 'AWS_*'],
          prices: { input: 3, cached: 3, output: 15.5 },
        },
      ],
      [
        'other',
        {
          name: 'other',
          kind: 'codex',
          command: ['/opt/codex'],
          arguments: ['-c', 'a=b'],
          env: [],
          writable: ['/var/cache/codex'],
          tests: ['npm test'],
          prices: null,
        },
      ],
    ]),
    prices: new Map([['gpt-9', { input: 3, cached: 0.3, output: 15 }]]),
    defaults: {
      provider: 'other',
      fallback: null,
      model: 'gpt',
      capabilities: ['READ', 'RUN_TESTS'],
      timeout: 1_200_000,
      idleTimeout: 90_000,
      maxTokens: 9000,
      concurrency: 2,
      session: 'thread',
      retries: 0,
      budget: { usd: 1.5, tokens: 400_000 },
    },
    profiles: new Map(),
    protected: ['main'],
    trail: { branch: 'post/mail' },
    sandbox: 'required',
    capabilities: 'strict',
    limits: {
      turnsPerThread: 9,
      tasksPerHour: null,
      corrections: 0,
      nesting: 1,
      threadBudget: { usd: 2, tokens: null },
      dayBudget: { usd: null, tokens: 2_000_000 },
      budgetAlert: null,
    },
    concurrency: 3,
    keep: null,
    workers: { queue: 'redis://queue.example', git: 'https://git.example/shop.git', lease: 90_000 },
    channels: new Map([
      [
        'hub',
        {
          name: 'hub',
          kind: 'github',
          people: new Map([['octocat', 'user']]),
          approvers: ['octocat'],
          poll: 60_000,
          repository: 'acme/shop',
          label: 'mailroom',
          to: null,
          base: null,
          secret: 'GITHUB_TOKEN',
          api: 'https://hub.example/api',
          git: null,
        },
      ],
    ]),
    webhookPort: 9000,
    inboxPatterns: ['*.txt'],
    notify: {
      user: { command: ['notify-send', 'Mailroom'], env: [] },
      slack: { command: ['./slack.sh'], env: ['SLACK_*'] },
    },
    mcp: false,
    nip: {
      enabled: true,
      maxSteps: 7,
      maxConcurrentWorkflows: 5,
      defaultTimeout: 60_000,
      budgetEnforcement: true,
      unitsPerUsd: 1_000_000,
      maxBudget: 5_000,
      relays: ['wss://relay.example.com', 'ws://127.0.0.1:7777/'],
      requesters: [],
      publishDefinitions: true,
    },
  });
  expect(providerNames(config)).toEqual([
    'claude',
    'codex',
    'gemini',
    'opencode',
    'pi',
    'agy',
    'replay',
    'human',
    ...acpAgents,
    'scripted',
    'other',
  ]);
});

test('the trail can be turned off', () => {
  expect(read('trail: off').trail).toBeNull();
});

describe('what is refused', () => {
  test.each([
    '-a',
    'a b',
    'a..b',
    '/a',
    'a/',
    'a.lock',
    'a~1',
    'a^',
    'a:b',
    '.a',
    'a/.b',
    'a//b',
    'a@{1}',
    "''",
  ])('a branch called %s', (branch) => {
    expect(wrong(`trail: { branch: ${/[{:]/.test(branch) ? `"${branch}"` : branch} }`)).toEqual([
      '1:18 E_VALUE',
    ]);
  });

  test.each(['codex', 'agy', 'copilot', 'replay', 'mine'])(
    'a short system prompt where it cannot be had: %s',
    (name) => {
      const text = `providers: { ${name}: { ${name === 'mine' ? 'command: [x], ' : ''}system_prompt: short } }`;
      expect(wrong(text)).toEqual([`1:${String(text.indexOf('short') + 1)} E_VALUE`]);
      expect(wrong(text.replace('short', 'own'))).toEqual([]);
    },
  );

  test('a program that is not named, the built-in person, a default provider that is not there', () => {
    expect(
      wrong(
        'providers: { mine: {}, human: { command: [x] }, old: { kind: claude } }\ndefaults: { provider: mien }',
      ),
    ).toEqual(['1:14 E_MISSING_KEY', '1:24 E_DUPLICATE', '2:23 E_UNKNOWN_NAME']);
  });

  test.each(['https://a.example', 'ws://a.example', 'wss://', 'wss://a.example/#b', 'relay', 'wss://a b'])(
    'a relay called %s',
    (relay) => {
      expect(wrong(`nip: { relays: ["${relay}"] }`)).toEqual(['1:17 E_VALUE']);
      expect(read('nip: { relays: [wss://a.example/b, "ws://[::1]:7"] }').nip.relays).toHaveLength(2);
    },
  );

  test('a list, a text, a broken YAML', () => {
    expect(wrong('- a')).toEqual(['1:1 E_VALUE']);
    expect(wrong('hello')).toEqual(['1:1 E_VALUE']);
    expect(wrong('a: [')).toEqual(['1:5 E_YAML']);
  });
});
