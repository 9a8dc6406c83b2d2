import { describe, expect, it } from 'vitest';
import { hasDoubledKey } from '../../src/kernel/json.ts';
import { agents, exit, fixture, invocation, now, program } from './samples.ts';
import { acpProviderOf } from './acp-stage.ts';
import type { Exit, Outcome, Provider } from '../../src/providers/provider.ts';

const unknown = { usd: null, tokens: null };
const budget = { usd: 0.4, tokens: 20_000 };

/** The figures that each counts. */
const keys: Readonly<Record<string, readonly string[]>> = {
  claude: [
    'total_cost_usd',
    'inputTokens',
    'outputTokens',
    'cacheReadInputTokens',
    'cacheCreationInputTokens',
  ],
  codex: ['input_tokens', 'output_tokens'],
  gemini: ['input_tokens', 'output_tokens', 'total_tokens'],
  opencode: ['cost', 'input', 'output', 'reasoning', 'write', 'read'],
  pi: ['input', 'output', 'cacheRead', 'cacheWrite'],
  agy: ['input_tokens', 'output_tokens', 'cache_read_tokens'],
};

const lies = ['1e308', '1e999', '1e300', '-5', '-0.01', '"7"', 'true', '[1]', '{"a":1}'];

function expectUnbelieved(outcome: Outcome): void {
  expect(outcome).toMatchObject({ is: 'done', usage: unknown });
  const { warnings, session } = outcome as Extract<Outcome, { is: 'done' }>;
  expect(warnings).toEqual([
    expect.stringMatching(
      /^the agent of `engineer` reported .+: its report does not count, and it is unpriced$/,
    ),
  ]);
  expect(JSON.parse(JSON.stringify(session))).toEqual(session);
}

describe.each(agents.map(({ name, provider }) => ({ name, provider })))('$name', ({ name, provider }) => {
  const recorded = fixture(name, 'text');
  const read = (stdout: string, changes = {}) =>
    provider.read({ ...recorded, stdout }, invocation({ budget, ...changes }), now);

  it.each((keys[name] ?? []).flatMap((key) => lies.map((lie) => [key, lie] as const)))(
    'is not believed when its %s is %s',
    (key, lie) => {
      const changed = recorded.stdout.replaceAll(new RegExp(`"${key}":[\\d.]+`, 'g'), `"${key}":${lie}`);
      expect(changed).not.toBe(recorded.stdout);
      expectUnbelieved(read(changed));
      const session = { id: 's', usd: 0.1, tokens: 10 };
      expectUnbelieved(read(changed, { session }));
    },
  );

  it.each(keys[name] ?? [])('is not believed when its %s comes twice', (key) => {
    const changed = recorded.stdout.replaceAll(new RegExp(`"${key}":[\\d.]+`, 'g'), `$&,"${key}":0`);
    expectUnbelieved(read(changed));
  });

  it('is believed otherwise, without a word', () => {
    expect(read(recorded.stdout)).not.toHaveProperty('warnings');
    expect(read(recorded.stdout).usage.tokens).toBeGreaterThan(0);
  });
});

describe('a program of the project', () => {
  const read = (line: string, changes: Partial<Exit> = {}) =>
    program.read(exit({ stderr: `${line}\n`, ...changes }), invocation({ budget }), now);

  it.each([
    'usage: {"usd": 1e308, "tokens": 1}',
    'usage: {"usd": 0.3, "tokens": 1e300}',
    'usage: {"usd": 1e999}',
    'usage: {"usd": 400.01}',
    'usage: {"usd": 0.3, "tokens": 20000001}',
    'usage: {"usd": -5, "tokens": 1}',
    'usage: {"usd": "0", "tokens": 1}',
    'usage: {"usd": 0.3, "usd": 0.0}',
    String.raw`usage: {"usd": 0.3, "us\u0064": 0.0}`,
    'usage: {"usd": NaN}',
    'usage: {"usd": 0.1, "tokens": [1]}',
    'usage: [0.3]',
    'usage: 0.3',
    'usage: null',
    'usage: nothing',
    'usage: {"usd": 0.3}\nusage: {"usd": 0.0}',
    'usage: {"usd": 0.0}\n\nUsage: {"usd": 0.0}',
    'usage: {"usd": 0.1}\nretry-after: 5\nusage: {"usd": 0.1}',
  ])('is not believed when it says %j', (line) => {
    expectUnbelieved(read(line));
    const failed = read(line, { code: 1 });
    expect(failed).toMatchObject({
      is: 'later',
      usage: unknown,
      reason: { text: expect.stringContaining('its report does not count') },
    });
  });

  it.each([
    ['usage: {"usd": 0.3, "tokens": 7}', { usd: 0.3, tokens: 7 }],
    ['usage: {"usd": 399, "model": {"usd": 1}}', { usd: 399, tokens: null }],
    ['usage: {"usd": null}', unknown],
    ['usage: {}', unknown],
    ['', unknown],
  ])('is believed when it says %j', (line, usage) => {
    const outcome = read(line);
    expect(outcome).toMatchObject({ is: 'done', usage });
    expect(outcome).not.toHaveProperty('warnings');
  });
});

describe('an agent of the Agent Client Protocol', () => {
  const events = (version: string, usage: string, cost: string) =>
    [
      `{"type":"agent","name":"${version === '' ? 'OpenCode' : 'Copilot'}","version":"9.0.0"}`,
      '{"type":"session","id":"s","resumable":true}',
      `{"type":"usage","cost":{"amount":${cost},"currency":"USD"}}`,
      '{"type":"text","text":"Hello."}',
      `{"type":"answer","stop":"end_turn","usage":${usage}}`,
      '{"type":"result","stop":"end_turn","error":null}',
    ].join('\n');
  const provider: Provider = acpProviderOf();
  const read = (stdout: string) => provider.read(exit({ stdout }), invocation({ budget }), now);

  it.each(lies)('is not believed when its figures are %s', (lie) => {
    expectUnbelieved(read(events('x', `{"inputTokens":${lie},"totalTokens":5}`, '0')));
    expectUnbelieved(read(events('x', `{"inputTokens":5,"totalTokens":${lie}}`, '0')));
    expectUnbelieved(read(events('', '{}', lie)));
  });
});

describe('an agent that is watched for its budget', () => {
  const answer = (tokens: string) =>
    `{"type":"assistant","message":{"id":"a","model":"m","usage":{"input_tokens":${tokens}}}}\n`;
  const claude = agents.find(({ name }) => name === 'claude')?.provider;

  it('is ended for what it can have used, and not for what it cannot', () => {
    const watch = () => claude?.start(invocation({ budget: { usd: null, tokens: 1000 } })).overspent;
    expect(watch()?.(answer('2000'))).toBe(true);
    for (const lie of lies) expect(watch()?.(answer(lie))).toBe(false);
  });
});

describe('a key of an object that comes twice', () => {
  it.each([
    ['{"a":1,"a":1}', true],
    [String.raw`{"a":1,"\u0061":2}`, true],
    ['{"a":{"b":1,"b":2}}', true],
    ['[{"a":1},{"a":1}]', false],
    ['{"a":{"a":1},"b":[{"a":1},{"a":2}]}', false],
    [String.raw`{"a":"\"a\":1","b":"a"}`, false],
    ['{"a":"{\\"a\\":1","b":"}"}', false],
    ['{"a":["a","a"],"b" : "b"}', false],
    ['{"a":[1,{"c":2}],"a" :3}', true],
    ['{"__proto__":1,"__proto__":2}', true],
    ['{}', false],
  ])('in %s: %s', (text, isDoubled) => {
    JSON.parse(text);
    expect(hasDoubledKey(text)).toBe(isDoubled);
  });
});

describe.each([...agents, { name: 'command', provider: program }])(
  'a launch of $name that died',
  ({ name, provider }) => {
    const usage = (changes: Partial<Exit>) =>
      provider.read(exit({ code: 1, durationMs: 150, ...changes }), invocation({ budget }), now).usage;
    const free = { usd: 0, tokens: 0 };

    it.each([
      ['at its start', { stderr: "Error: Cannot find module 'x'" }],
      [
        'with the usage of its options',
        { code: 2, stderr: 'usage: agent [options]\nagent: error: no such option' },
      ],
      ['and was never found', { ended: 'spawn-failed', code: 127, error: 'command not found: x' }],
      ['in a shell that did not find it', { code: 127, stderr: 'sh: 1: agent: not found' }],
    ] as const)('%s costs nothing', (_, changes) => {
      expect(usage(changes)).toEqual(free);
    });

    // pi and agy report each call as an event: none is nothing.
    it.each([
      ['after a while', { durationMs: 2_000 }],
      ['by a signal', { code: null, signal: 'SIGKILL' }],
      ['by a signal that a shell reports', { code: 137 }],
      ['when it was stopped', { ended: 'stopped', code: null }],
      ['at a limit', { code: 75, stderr: 'You have hit your usage limit' }],
      ['after it printed something', { stdout: 'thinking' }],
      ['and reported what cannot be read', { stderr: 'usage: {"usd": "much"}' }],
      ['without an error', { code: 0 }],
    ] as const)('%s is not free', (_, changes) => {
      if (name === 'pi' || name === 'agy') expect(usage(changes)).toEqual(free);
      else expect(usage(changes)).not.toEqual(free);
    });
  },
);
