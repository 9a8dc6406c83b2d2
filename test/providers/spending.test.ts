import { describe, expect, it } from 'vitest';
import { settled } from '../../src/kernel/money.ts';
import { namedProvider } from '../../src/providers/index.ts';
import { agents, exit, fixture, invocation, now, environment } from './samples.ts';
import type { Session } from '../../src/kernel/cost.ts';
import type { Exit } from '../../src/providers/provider.ts';

function agent(name: string) {
  const found = agents.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no agent ${name}`);
  return found.provider;
}

const answer = (id: string, input: number) =>
  `${JSON.stringify({
    type: 'assistant',
    message: { id, model: 'claude-sonnet-4-5', usage: { input_tokens: input, cache_read_input_tokens: 100 } },
  })}\n`;
const step = (input: number, cost: number) =>
  `${JSON.stringify({ type: 'step_finish', part: { tokens: { input, output: 0 }, cost } })}\n`;

/** After which of the pieces of output it has spent more than its budget; -1: after none. */
function overspentAt(name: string, budget: { usd: number | null; tokens: number | null }, pieces: string[]) {
  const { overspent } = agent(name).start(invocation({ budget }));
  return pieces.findIndex((piece) => overspent?.(piece) ?? false);
}

describe('an agent that tells what it uses as it goes', () => {
  it('has spent its budget after the answer that goes over it', () => {
    const pieces = [answer('a', 400), answer('b', 400), answer('c', 400)];
    expect(overspentAt('claude', { usd: null, tokens: 1000 }, pieces)).toBe(2);
    expect(overspentAt('claude', { usd: null, tokens: 1500 }, pieces)).toBe(-1);
    // 400 tokens at $3 and 100 at $0.30 a million.
    expect(overspentAt('claude', { usd: 0.002, tokens: null }, pieces)).toBe(1);
    expect(overspentAt('opencode', { usd: 1, tokens: null }, [step(1, 0.6), step(1, 0.6)])).toBe(1);
    expect(overspentAt('opencode', { usd: null, tokens: 5 }, [step(1, 0.6), step(9, 0)])).toBe(1);
  });

  it('has spent what it put into the cache at its own price', () => {
    const written = (tokens: number, hourly?: number) =>
      `${JSON.stringify({
        type: 'assistant',
        message: {
          id: String(tokens),
          model: 'claude-sonnet-4-5',
          usage: {
            input_tokens: 1000,
            cache_creation_input_tokens: tokens,
            cache_creation: hourly && {
              ephemeral_1h_input_tokens: hourly,
              ephemeral_5m_input_tokens: tokens - hourly,
            },
          },
        },
      })}\n`;
    // 1000 tokens at $3 and 4000 at $3.75 a million.
    expect(overspentAt('claude', { usd: 0.018, tokens: null }, [written(4000)])).toBe(-1);
    expect(overspentAt('claude', { usd: 0.0179, tokens: null }, [written(4000)])).toBe(0);
    // 3000 of them for an hour, at $6 a million.
    expect(overspentAt('claude', { usd: 0.02475, tokens: null }, [written(4000, 3000)])).toBe(-1);
    expect(overspentAt('claude', { usd: 0.0247, tokens: null }, [written(4000, 3000)])).toBe(0);
  });

  it('has cost what it kept for an hour where claude reports no dollars', () => {
    const { stdout, ...rest } = fixture('claude', 'text');
    const counts = { cacheCreationInputTokens: 4000, cacheCreationEphemeral1hInputTokens: 3000 };
    const told = Object.entries(counts).reduce(
      (text, [key, count]) => text.replace(`"${key}":0`, `"${key}":${String(count)}`),
      stdout.replace(/"total_cost_usd":[\d.]+,/, ''),
    );
    // 1000 tokens at $3, 1000 at $3.75, 3000 at $6, and 50 out at $15 a million.
    const usage = { usd: 0.0255, tokens: 5050 };
    expect(agent('claude').read({ ...rest, stdout: told }, invocation(), now).usage).toEqual(usage);
  });

  it('counts an answer once that comes in several events, and reads lines that come in pieces', () => {
    const [first, second] = [answer('a', 800).slice(0, 40), answer('a', 800).slice(40)];
    const pieces = [first, second, answer('a', 800), answer('b', 800)];
    expect(overspentAt('claude', { usd: null, tokens: 1000 }, pieces)).toBe(3);
  });

  it('passes over nonsense and endless lines', () => {
    const pieces = ['{"type":', 'x'.repeat(2_000_000), 'x'.repeat(100), `\n${answer('a', 2000)}`];
    expect(overspentAt('claude', { usd: null, tokens: 1000 }, pieces)).toBe(3);
  });

  it('is not watched without a budget', () => {
    expect(agent('claude').start(invocation())).not.toHaveProperty('overspent');
  });

  it.each(['claude', 'codex'])(
    'says what the conversation of %s has come to that it had resumed and failed in',
    (name) => {
      const resumed = fixture(name, 'resume');
      const session = { id: 's', usd: 0, tokens: 10 };
      const done = agent(name).read(resumed, invocation({ session }), now);
      const failed = agent(name).read({ ...resumed, code: 1 }, invocation({ session }), now);
      const total = 10 + (done.usage.tokens ?? 0);
      expect(total).toBeGreaterThan(10);
      expect(failed).toMatchObject({ usage: done.usage, session: { id: 's', tokens: total } });
      expect(failed.is).not.toBe('done');
      const alone = agent(name).read({ ...resumed, code: 1 }, invocation(), now);
      expect(alone).toMatchObject({ session: null });
    },
  );

  it.each([
    ['null', true],
    ['"tool_use"', undefined],
  ])(
    'that was killed has used more than its answers told where their reason to end is %s',
    (reason, more) => {
      const told = answer('a', 400).replace('"id"', `"stop_reason":${reason},"id"`);
      const outcome = agent('claude').read(
        exit({ ended: 'stopped', code: null, stdout: told }),
        invocation(),
        now,
      );
      expect(outcome.usage).toEqual({ usd: 0.00123, tokens: 500, ...(more && { more }) });
      expect(settled(outcome.usage, null)).toEqual({ usd: 0.00123, tokens: 500, unpriced: more ? 1 : 0 });
    },
  );

  it('that was ended for it costs what it had told, and is not tried again', () => {
    const stdout = [answer('a', 400), answer('a', 400), answer('b', 400)].join('');
    const outcome = agent('claude').read(
      exit({ ended: 'over-budget', code: 143, stdout }),
      invocation(),
      now,
    );
    expect(outcome).toMatchObject({
      is: 'never',
      reason: { code: 'E_BUDGET' },
      usage: { tokens: 1000 },
      session: null,
    });
    expect(outcome.usage.usd).toBeCloseTo(0.00246, 9);
  });
});

/** Dollars for a million tokens: of input 2, of output 10, and twice that in a request with more than 1000 of input. */
function tiered(kind: 'codex' | 'gemini' | 'opencode') {
  const prices = { input: 2, cached: 2, output: 10, long: { above: 1000, input: 4, cached: 4, output: 20 } };
  const config = { name: kind, kind, command: null, arguments: [], env: [], writable: [], tests: null };
  return namedProvider({ ...config, prices }, environment);
}

const output = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const codexTurn = (input_tokens: number, output_tokens: number) =>
  output({ type: 'turn.completed', usage: { input_tokens, cached_input_tokens: 0, output_tokens } });
const opencodeSteps = (...inputs: number[]) =>
  output(
    ...inputs.map((input) => ({
      type: 'step_finish',
      part: { reason: 'stop', tokens: { input, output: 100 } },
    })),
  );
const geminiTurn = (input_tokens: number) =>
  output({ type: 'result', status: 'success', stats: { input_tokens, output_tokens: 100 } });

describe('requests so long that they cost more', () => {
  const read = (kind: Parameters<typeof tiered>[0], stdout: string, session: Session | null = null) => {
    const outcome = tiered(kind).read(exit({ stdout }), invocation({ model: 'any', session }), now);
    if (outcome.is !== 'done') throw new Error(outcome.reason.text);
    return outcome;
  };

  it('are told apart by a program that counts each', () => {
    expect(read('opencode', opencodeSteps(900, 900)).usage.usd).toBeCloseTo(0.0056, 9);
    expect(read('opencode', opencodeSteps(900, 1100)).usage.usd).toBeCloseTo(0.0028 + 0.0064, 9);
  });

  it('may be all, of a program that tells their sum alone', () => {
    expect(read('gemini', geminiTurn(1000)).usage.usd).toBeCloseTo(0.003, 9);
    expect(read('gemini', geminiTurn(1001)).usage.usd).toBeCloseTo(0.006004, 9);
    expect(read('codex', codexTurn(1000, 100)).usage.usd).toBeCloseTo(0.003, 9);
    expect(read('codex', codexTurn(1001, 100)).usage.usd).toBeCloseTo(0.006004, 9);
  });

  it('are those of this turn, however long the conversation was before', () => {
    const short = read('codex', codexTurn(2500, 0), { id: 'x', usd: 0.004, tokens: 2000 });
    expect(short.usage).toEqual({ tokens: 500, usd: expect.closeTo(0.001, 9) });
    const long = read('codex', codexTurn(4500, 0), short.session);
    expect(long.usage).toEqual({ tokens: 2000, usd: expect.closeTo(0.008, 9) });
    expect(long.session).toEqual({ id: 'x', tokens: 4500, usd: expect.closeTo(0.009, 9) });
  });
});

describe('an agent that reports its commands as they run', () => {
  it.each([
    ['codex', [0, 0, 0, 1, 0, 0, 0]],
    ['gemini', [0, 0, 1, 0, 0, 0]],
  ])('%s: as many run as have begun and are not over', (name, expected) => {
    const { commands } = agent(name).start(invocation({ maxCommandTime: 60_000 }));
    const lines = fixture(name, 'tests').stdout.split('\n').slice(0, -1);
    expect(lines.map((line) => commands?.running(`${line}\n`).size)).toEqual(expected);
    expect(commands?.limitMs).toBe(60_000);
    expect(agent(name).start(invocation())).not.toHaveProperty('commands');
  });

  it('however much one has printed', () => {
    const { commands } = agent('codex').start(invocation({ maxCommandTime: 60_000 }));
    const item = { id: 'item_1', type: 'command_execution', command: 'find /' };
    const over = { type: 'item.completed', item: { ...item, aggregated_output: 'x'.repeat(2_000_000) } };
    expect(commands?.running(output({ type: 'item.started', item })).size).toBe(1);
    expect(commands?.running(output(over)).size).toBe(0);
  });

  it('and was ended for one of them timed out', () => {
    const outcome = agent('codex').read(exit({ ended: 'command-timeout', code: 143 }), invocation(), now);
    expect(outcome).toMatchObject({ is: 'later', reason: { code: 'E_TIMEOUT' } });
  });

  it.each([
    ['claude', []],
    ['codex', []],
    ['gemini', ['variant']],
    ['opencode', ['max_command_time']],
  ])('or not: nothing holds %s to %j', (name, expected) => {
    expect(agent(name).notEnforced).toEqual(expected);
  });
});

describe('a launch that used nothing', () => {
  const usageOf = (name: string, ended: Exit) => agent(name).read(ended, invocation(), now).usage;
  const nothing = { usd: 0, tokens: 0 };

  it.each(['claude', 'codex', 'gemini', 'opencode'])(
    'costs nothing of %s: its conversation is lost',
    (name) => {
      expect(usageOf(name, fixture(name, 'unknown-session'))).toEqual(nothing);
    },
  );

  it.each(['status-401', 'status-429', 'status-500', 'limit', 'no-key'])('costs nothing: %s', (sample) => {
    for (const name of ['codex', 'opencode']) expect(usageOf(name, fixture(name, sample))).toEqual(nothing);
  });

  it('is not one whose answer was cut, or whose end nobody knows', () => {
    for (const name of ['codex', 'opencode'])
      for (const ended of [fixture(name, 'cut'), exit({ ended: 'total-timeout' })])
        expect(usageOf(name, ended)).toEqual({ usd: null, tokens: null });
  });

  it('of gemini lets the turn continue without its conversation', () => {
    const stderr = 'Error resuming session: No previous sessions found for this project.\n';
    const outcome = agent('gemini').read(exit({ code: 42, stderr }), invocation(), now);
    expect(outcome).toMatchObject({ is: 'later', reason: { code: 'E_SESSION' }, usage: nothing });
  });
});

describe('a turn that is killed', () => {
  it.each(['pi', 'agy', 'opencode'])('costs what %s had told by then', (name) => {
    const whole = fixture(name, 'edit-outbox');
    const last = /"type":"agent_(?:end|settled)"|"event":"result"/;
    const told = whole.stdout.split('\n').filter((line) => !last.test(line));
    const outcome = agent(name).read(exit({ ended: 'stopped', stdout: told.join('\n') }), invocation(), now);
    expect(outcome.usage).toEqual(agent(name).read(whole, invocation(), now).usage);
    expect(outcome.usage.tokens).toBe(2100);
  });

  it('costs what claude had told by then', () => {
    const stdout = fixture('claude', 'edit-outbox')
      .stdout.split('\n')
      .filter((line) => !line.includes('"type":"result"'))
      .join('\n');
    const outcome = agent('claude').read(exit({ ended: 'stopped', stdout }), invocation(), now);
    expect(outcome?.usage).toEqual({ usd: 0.0075, tokens: 2100, more: true });
  });
});
