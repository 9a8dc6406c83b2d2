import { describe, expect, it } from 'vitest';
import { namedProvider, providersOf } from '../../src/providers/index.ts';
import { agents, exit, fixture, invocation, now, program, environment, verdict } from './samples.ts';
import type { Exit, Outcome } from '../../src/providers/provider.ts';

function read(name: string, ended: Exit, changes = {}): Outcome {
  const agent = agents.find((candidate) => candidate.name === name);
  if (agent === undefined) throw new Error(`no agent ${name}`);
  return agent.provider.read(ended, invocation(changes), now);
}

/** The fixture with its last event changed. */
function changed(name: string, sample: string, change: Record<string, unknown>): Exit {
  const recorded = fixture(name, sample);
  const lines = recorded.stdout.trimEnd().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
  return { ...recorded, stdout: [...lines.slice(0, -1), JSON.stringify({ ...last, ...change })].join('\n') };
}

describe('claude', () => {
  it('is judged by is_error, not by a subtype that says success', () => {
    expect(verdict(read('claude', changed('claude', 'text', { is_error: true })))).toBe(
      'later transient E_PROVIDER',
    );
    expect(verdict(read('claude', changed('claude', 'text', { subtype: 'error_during_execution' })))).toBe(
      'later transient E_PROVIDER',
    );
  });

  it('has used up its budget or its steps', () => {
    expect(read('claude', fixture('claude', 'budget'))).toEqual({
      is: 'never',
      reason: { code: 'E_BUDGET', text: 'claude used up its budget: Reached maximum budget ($0.001)' },
      session: null,
      usage: { usd: 0.00375, tokens: 1050 },
    });
    expect(verdict(read('claude', fixture('claude', 'steps')))).toBe('never E_BUDGET');
  });

  it('says in words when a limit ends, where it has no event for that', () => {
    expect(read('claude', fixture('claude', 'limit-in-words'))).toMatchObject({ until: now + 3 * 3_600_000 });
  });

  it('does not take the warning of a limit for the limit', () => {
    const warning =
      '{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1795300000}}\n';
    const recorded = fixture('claude', 'status-429');
    expect(read('claude', { ...recorded, stdout: warning + recorded.stdout })).toMatchObject({ until: null });
    const good = fixture('claude', 'text');
    expect(verdict(read('claude', { ...good, stdout: warning + good.stdout }))).toBe('done');
  });

  it('counts tokens of all models, cached ones included, and its own cost', () => {
    const modelUsage = {
      opus: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 100, cacheCreationInputTokens: 20 },
      haiku: { inputTokens: 1, outputTokens: 2 },
    };
    const usage = { usd: 0.5, tokens: 138 };
    expect(read('claude', changed('claude', 'text', { modelUsage, total_cost_usd: 0.5 }))).toMatchObject({
      usage,
    });
  });

  it('counts anew when a total went down: the program lost count', () => {
    const session = { id: 's', usd: 5, tokens: 90_000 };
    expect(read('claude', fixture('claude', 'text'), { session })).toMatchObject({
      usage: { usd: 0.00375, tokens: 1050 },
    });
  });

  it('names a tool that was called though it was not offered', () => {
    expect(read('claude', fixture('claude', 'edit-shell-denied'))).toMatchObject({
      is: 'done',
      denials: ['Bash'],
    });
  });
});

describe('codex', () => {
  it('says its final text last', () => {
    const said = (text: string): string =>
      JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text } });
    const good = fixture('codex', 'text');
    expect(read('codex', { ...good, stdout: `${said('First I look.')}\n${good.stdout}` })).toMatchObject({
      text: 'Hello.',
    });
  });

  it('is not judged by the errors that it got over', () => {
    expect(read('codex', fixture('codex', 'reconnected'))).toMatchObject({ is: 'done', text: 'Hello.' });
  });

  it('cannot be driven by a command line that it does not know', () => {
    expect(verdict(read('codex', fixture('codex', 'unknown-flag')))).toBe('never E_PROVIDER');
  });

  it('is priced from its tokens, over the whole conversation', () => {
    const priced = namedProvider(
      {
        name: 'codex',
        kind: 'codex',
        command: null,
        arguments: [],
        env: [],
        writable: [],
        tests: null,
        prices: { input: 2, cached: 2, output: 10 },
      },
      environment,
    );
    const first = priced.read(fixture('codex', 'text'), invocation(), now);
    if (first.is !== 'done') throw new Error('the fixture is a success');
    expect(first).toMatchObject({
      usage: { usd: 0.0025, tokens: 1050 },
      session: { usd: 0.0025, tokens: 1050 },
    });
    expect(
      priced.read(fixture('codex', 'resume'), invocation({ session: first.session }), now),
    ).toMatchObject({
      usage: { usd: 0.0025, tokens: 1050 },
      session: { usd: 0.005, tokens: 2100 },
    });
  });
});

describe('a model whose cost its CLI does not tell', () => {
  const usage = { input_tokens: 200_000, cached_input_tokens: 80_000, output_tokens: 20_000 };
  const codex = (model: string | null, prices = {}) =>
    providersOf([], { ...environment, prices: new Map(Object.entries(prices)) })
      .get('codex')
      ?.read(changed('codex', 'text', { usage }), invocation({ model }), now).usage;

  it('has the price of the built-in table, cached input at its own', () => {
    expect(codex('gpt-5.5')).toEqual({
      usd: expect.closeTo(0.12 * 5 + 0.08 * 0.5 + 0.02 * 30, 9),
      tokens: 220_000,
    });
  });

  it('has the price that the project says', () => {
    const own = { 'gpt-5.5': { input: 1, cached: 0, output: 10 } };
    expect(codex('gpt-5.5-2026-04-01', own)?.usd).toBeCloseTo(0.12 + 0.2, 9);
  });

  it.each([null, 'gpt-99', 'gpt-5.5-pro'])('is unpriced where no one knows the price: %s', (model) => {
    expect(codex(model)).toEqual({ usd: null, tokens: 220_000 });
  });

  it('does not pay later what had no price then', () => {
    const session = { id: 's', usd: 0, tokens: 110_000 };
    const outcome = providersOf([], environment)
      .get('codex')
      ?.read(changed('codex', 'text', { usage }), invocation({ model: 'gpt-5.5', session }), now);
    expect(outcome?.usage).toEqual({ usd: expect.closeTo(0.62, 9), tokens: 110_000 });
  });

  it('costs the sum of all models that gemini used', () => {
    const models = {
      'gemini-2.5-pro': { input_tokens: 1000, output_tokens: 50, total_tokens: 1050, cached: 0 },
      'gemini-2.5-flash-lite': { input_tokens: 1000, output_tokens: 100, total_tokens: 1100, cached: 500 },
    };
    const outcome = read('gemini', changed('gemini', 'text', { stats: { models } }));
    expect(outcome.usage.tokens).toBe(2150);
    expect(outcome.usage.usd).toBeCloseTo(0.00175 + 0.00005 + 0.000005 + 0.00004, 12);
  });
});

describe('gemini', () => {
  it('is no success after SIGTERM, though it ends with exit code 0', () => {
    expect(fixture('gemini', 'sigterm')).toMatchObject({ code: 0, signal: null });
    expect(read('gemini', fixture('gemini', 'sigterm'))).toMatchObject({
      is: 'later',
      reason: { text: expect.stringContaining('gemini ended without a result') },
    });
  });

  it('says its final text after its last use of a tool, in pieces', () => {
    const [init = '', ...rest] = fixture('gemini', 'edit-outbox').stdout.split('\n');
    const piece = (content: string): string =>
      JSON.stringify({ type: 'message', role: 'assistant', content, delta: true });
    const last = rest.findIndex((line) => line.includes('"Done."'));
    const stdout = [
      init,
      piece('First I write.'),
      ...rest.slice(0, last),
      piece('All '),
      piece('is '),
      ...rest.slice(last),
    ];
    expect(read('gemini', exit({ stdout: stdout.join('\n') }))).toMatchObject({ text: 'All is Done.' });
  });

  it('counts thoughts as output', () => {
    const price = { input: 1_000_000, cached: 1_000_000, output: 10_000_000 };
    const config = { command: null, arguments: [], env: [], writable: [], tests: null };
    const priced = namedProvider({ ...config, name: 'gemini', kind: 'gemini', prices: price }, environment);
    const stats = { input_tokens: 1, output_tokens: 2, total_tokens: 7, models: {} };
    expect(priced.read(changed('gemini', 'text', { stats }), invocation(), now)).toMatchObject({
      usage: { tokens: 7, usd: 61 },
    });
  });

  it('has used up its steps', () => {
    expect(verdict(read('gemini', fixture('gemini', 'steps')))).toBe('never E_BUDGET');
  });

  it.each([
    [44, 'never E_PROVIDER'],
    [52, 'never E_PROVIDER'],
    [55, 'never E_PROVIDER'],
    [145, 'never E_LOGIN'],
    [173, 'later limited E_PROVIDER'],
    [17, 'later transient E_PROVIDER'],
    [143, 'later transient E_PROVIDER'],
  ])('ends with %i, which tells even without a word: %s', (code, meaning) => {
    expect(verdict(read('gemini', exit({ code })))).toBe(meaning);
  });
});

describe('opencode', () => {
  it('says its final text in its last step', () => {
    const lines = fixture('opencode', 'text').stdout.trimEnd().split('\n');
    const first = lines.map((line) =>
      line.replace('Hello.', 'First I look.').replace('"stop"', '"tool-calls"'),
    );
    const outcome = read('opencode', exit({ stdout: [...first, ...lines].join('\n') }));
    expect(outcome).toMatchObject({ text: 'Hello.', usage: { usd: 0.0075, tokens: 2100 } });
  });

  it('counts cached and reasoning tokens', () => {
    const stdout = fixture('opencode', 'text').stdout.replace(
      '"reasoning":0,"cache":{"write":0,"read":0}',
      '"reasoning":1,"cache":{"write":20,"read":300}',
    );
    expect(read('opencode', exit({ stdout }))).toMatchObject({ usage: { tokens: 1371 } });
  });

  it('is unpriced when it has no price for a model', () => {
    const free = fixture('opencode', 'text');
    expect(read('opencode', { ...free, stdout: free.stdout.replaceAll('0.00375', '0') })).toMatchObject({
      usage: { usd: null, tokens: 1050 },
    });
  });

  it('has not finished when its last step wanted to use a tool', () => {
    const denied = fixture('opencode', 'read-denied').stdout.trimEnd().split('\n');
    const end = denied.findIndex((line) => line.includes('"reason":"tool-calls"'));
    const outcome = read('opencode', exit({ stdout: denied.slice(0, end + 1).join('\n') }));
    expect(outcome).toMatchObject({
      is: 'later',
      reason: { text: expect.stringContaining('after a refusal of write: /project/denied.txt') },
    });
  });
});

describe('a program of the project', () => {
  it.each<[Partial<Exit>, string]>([
    [{ code: 0 }, 'done'],
    [{ code: 1 }, 'later transient E_PROVIDER'],
    [{ code: 2 }, 'never E_TURN'],
    [{ code: 3 }, 'never E_TURN'],
    [{ code: 75 }, 'later limited E_PROVIDER'],
    [{ code: 124 }, 'later transient E_TIMEOUT'],
    [{ code: 125 }, 'never E_TURN'],
    [{ code: 126 }, 'never E_PROVIDER'],
    [{ code: 127 }, 'never E_PROVIDER'],
    [{ code: 255 }, 'never E_TURN'],
    [{ code: null, signal: 'SIGTERM' }, 'later transient E_PROVIDER'],
  ])('that ends with %j is %s', (changes, meaning) => {
    expect(verdict(program.read(exit(changes), invocation(), now))).toBe(meaning);
  });

  it('says all that it wrote as its final text, byte by byte', () => {
    const stdout = '---\ntype: answer\n---\n  Yes.\n\n';
    expect(program.read(exit({ stdout, stderr: 'debug: 1' }), invocation(), now)).toEqual({
      is: 'done',
      text: stdout,
      session: null,
      usage: { usd: null, tokens: null },
      model: null,
      denials: [],
    });
  });

  it('may say at the end of standard error what it used and when to come back', () => {
    const stderr = 'Too busy.\n\nusage: {"usd": 0.02, "tokens": 1200}\nRetry-After: 90.5\n\n';
    expect(program.read(exit({ code: 75, stderr }), invocation(), now)).toEqual({
      is: 'later',
      class: 'RETRYABLE_RATE_LIMIT',
      reason: { code: 'E_PROVIDER', text: 'node has reached its usage limit: Too busy.' },
      until: now + 90_500,
      usage: { usd: 0.02, tokens: 1200 },
      session: null,
    });
    expect(program.read(exit({ stderr }), invocation(), now)).toMatchObject({
      is: 'done',
      usage: { usd: 0.02 },
    });
  });

  it.each([
    'usage: {"usd": -1, "tokens": "x"}',
    'usage: nothing',
    'retry-after: soon',
    'retry-after: 5\nbut not at the end',
  ])('is not believed when it says %j', (stderr) => {
    expect(program.read(exit({ code: 75, stderr }), invocation(), now)).toMatchObject({
      until: null,
      usage: { usd: null, tokens: null },
    });
  });
});
