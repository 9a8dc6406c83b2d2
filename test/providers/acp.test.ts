import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture } from '../process/support.ts';
import { appears } from '../support/appears.ts';
import { acpProviderOf, says, Stage } from './acp-stage.ts';
import { exit as exitOf, invocation, verdict } from './samples.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

const session = { id: 'first', usd: 0, tokens: 0 };

describe('an agent that speaks the Agent Client Protocol', () => {
  it('gets the prompt, and its words are the answer', async () => {
    const stage = new Stage();
    const { outcome, left, exit } = await stage.run(says('Hel', 'lo.'), { prompt: 'Do it.\n' });
    expect({ ...outcome, stderr: exit.stderr }).toMatchObject({
      is: 'done',
      text: 'Hello.',
      session: null,
      denials: [],
    });
    expect(stage.heard('initialize')).toMatchObject([{ protocolVersion: 1 }]);
    expect(stage.heard('session/prompt')).toMatchObject([{ prompt: [{ type: 'text', text: 'Do it.\n' }] }]);
    expect(left).toEqual([]);
  });

  it('gives the words after its last tool', async () => {
    const stage = new Stage();
    const tool = { update: { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'Look', kind: 'read' } };
    const { outcome } = await stage.run({ prompts: [[{ say: 'I look.' }, tool, { say: 'Seen.' }]] });
    expect(outcome).toMatchObject({ is: 'done', text: 'Seen.' });
  });

  it('is connected to the tools of the turn', async () => {
    const stage = new Stage();
    await stage.run(says('x'), { tools: { command: ['node', 'mailroom', 'mcp'], readable: [] } });
    expect(stage.heard('session/new')).toMatchObject([
      {
        cwd: stage.place.project,
        mcpServers: [{ name: 'mailroom', command: 'node', args: ['mailroom', 'mcp'] }],
      },
    ]);
  });

  it.each([
    [{ sessionCapabilities: { resume: {} }, loadSession: true }, 'session/resume'],
    [{ loadSession: true }, 'session/load'],
  ])('with %j resumes by %s, without what was said before', async (capabilities, method) => {
    const stage = new Stage();
    const first = await stage.run({ ...says('One.'), capabilities });
    expect(first.outcome).toMatchObject({ session: { id: 'first' } });
    const second = await stage.run({ ...says('Two.'), capabilities }, { session });
    expect(second.outcome).toMatchObject({ is: 'done', text: 'Two.', session: { id: 'first' } });
    expect(stage.heard(method)).toMatchObject([{ sessionId: 'first', cwd: stage.place.project }]);
  });

  it('is put into the mode that asks, and given the model of its role', async () => {
    const stage = new Stage();
    const modes = {
      currentModeId: 'auto',
      availableModes: [
        { id: 'auto', name: 'Auto' },
        { id: 'default', name: 'Default' },
      ],
    };
    const model = { id: 'm', name: 'Model', category: 'model', type: 'select', currentValue: 'a' };
    const configOptions = [
      {
        ...model,
        options: [
          { value: 'a', name: 'A' },
          { value: 'b', name: 'B' },
        ],
      },
    ];
    const opened = { modes, configOptions };
    await stage.run({ ...says('x'), opened }, { model: 'b' });
    expect(stage.heard('session/set_mode')).toEqual([{ sessionId: 'first', modeId: 'default' }]);
    expect(stage.heard('session/set_config_option')).toMatchObject([{ configId: 'm', value: 'b' }]);
    const { outcome } = await stage.run({ ...says('x'), opened }, { model: 'c' });
    expect(outcome).toMatchObject({
      is: 'never',
      reason: { text: 'fake cannot be given the model of its role: it offers a, b' },
    });
  });

  it('is cancelled in the words of the protocol', async () => {
    const stage = new Stage();
    const sign = join(stage.place.root, 'sign');
    const stop = appears(sign);
    const play = { prompts: [[{ silence: true, marks: sign }]] };
    const { outcome, left } = await stage.run(play, {}, { stop });
    expect(verdict(outcome)).toBe('later transient E_CANCELLED');
    expect(stage.heard('session/cancel')).toEqual([{ sessionId: 'first' }]);
    expect(left).toEqual([]);
  });
});

describe('an agent of that protocol that fails', () => {
  const answers: readonly (readonly [string, JsonObject, string])[] = [
    [
      'ends its turn for a reason of its own',
      { prompts: [[{ stop: 'refusal' }]] },
      'later transient E_PROVIDER',
    ],
    ['has used up its tokens', { prompts: [[{ stop: 'max_tokens' }]] }, 'later transient E_PROVIDER'],
    ['dies', { prompts: [[{ say: 'I' }, { die: 3 }]] }, 'later transient E_PROVIDER'],
    ['dies at once', { prompts: [], dies: true }, 'later transient E_PROVIDER'],
    [
      'is at its limit',
      {
        prompts: [
          [{ fails: { code: -32_603, message: 'Internal error', data: { errorKind: 'rate_limit' } } }],
        ],
      },
      'later limited E_PROVIDER',
    ],
    [
      'is not logged in',
      { refuses: { 'session/new': { code: -32_000, message: 'Authentication required' } } },
      'never E_LOGIN',
    ],
    ['speaks version 2', { version: 2 }, 'never E_PROVIDER'],
    [
      'cannot resume',
      {
        refuses: { 'session/load': { code: -32_603, message: 'gone' } },
        capabilities: { loadSession: true },
      },
      'later transient E_SESSION',
    ],
  ];

  it.each(answers)('%s', async (_, play, meaning) => {
    const stage = new Stage();
    const { outcome, left } = await stage.run(play, meaning.endsWith('E_SESSION') ? { session } : {});
    expect({ ...outcome, verdict: verdict(outcome) }).toMatchObject({ verdict: meaning });
    expect(left).toEqual([]);
  });

  it('says why, and what to do', async () => {
    const reasonOf = async (play: JsonObject) => {
      const { outcome } = await new Stage().run(play);
      return outcome.is === 'done' ? null : outcome.reason.text;
    };
    expect(await reasonOf({ version: 2 })).toBe(
      'fake speaks version 2 of the Agent Client Protocol, and Mailroom speaks version 1, the stable one',
    );
    expect(await reasonOf({ prompts: [[{ die: 3 }]] })).toBe(
      'fake failed: it ended with exit code 3 before its answer',
    );
    const refusal = { code: -32_000, message: 'Authentication required' };
    const authMethods = [{ id: 'key', name: 'API key' }];
    expect(await reasonOf({ refuses: { 'session/new': refusal }, authMethods })).toMatch(
      /^fake is not logged in; log in with \S+ once: Authentication required: API key$/,
    );
  });

  it('costs nothing where it has not worked, and is not counted where nobody knows', async () => {
    const refusal = { code: -32_603, message: 'overloaded' };
    const usageOf = async (play: JsonObject) => (await new Stage().run(play)).outcome.usage;
    expect(await usageOf({ refuses: { 'session/new': refusal } })).toEqual({ usd: 0, tokens: 0 });
    expect(await usageOf({ prompts: [[{ fails: refusal }]] })).toEqual({ usd: 0, tokens: 0 });
    expect(await usageOf({ prompts: [[{ say: 'I' }, { fails: refusal }]] })).toEqual({
      usd: null,
      tokens: null,
    });
    expect(await usageOf(says('x'))).toEqual({ usd: null, tokens: null });
  });

  it('never answers, and is ended by the time of its role', async () => {
    for (const play of [{ mute: true }, { prompts: [[{ silence: true }]] }]) {
      const { outcome, left } = await new Stage().run(play, {}, { idleMs: 1500 });
      expect(verdict(outcome)).toBe('later transient E_TIMEOUT');
      expect(left).toEqual([]);
    }
  });

  it('answers twice, under other ids and in nonsense, and each request has its one answer', async () => {
    const lines = [
      '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":9}}',
      '{"jsonrpc":"2.0","id":99,"result":{"stopReason":"refusal"}}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"?"}}',
      '{"jsonrpc":"2.0","method":"session/update","params":[]}',
      '{"jsonrpc":"2.0","method":"session/update"}',
      '{"jsonrpc":"2.0","method":"no/such/thing","params":{}}',
      'Loading …',
      '[1]',
      '{',
    ];
    const { outcome } = await new Stage().run({
      prompts: [[...lines.map((raw) => ({ raw })), { say: 'Still here.' }]],
    });
    expect(outcome).toMatchObject({ is: 'done', text: 'Still here.' });
    const early = '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}';
    const twice = await new Stage().run({
      prompts: [[{ say: 'First.' }, { raw: early }, { stop: 'refusal' }]],
    });
    expect(twice.outcome).toMatchObject({ is: 'done', text: 'First.' });
  });

  it('goes on after its end: its last words count, and it may do nothing more', async () => {
    const early = '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}';
    const stage = new Stage();
    const late = [{ say: ' And bye.' }, { asks: { kind: 'edit', title: 'Edit more' } }, { silence: true }];
    const play = { prompts: [[{ say: 'First.' }, { raw: early }, ...late]] };
    const { outcome, left } = await stage.run(play, { capabilities: ['READ', 'EDIT'] });
    expect(outcome).toMatchObject({ is: 'done', text: 'First. And bye.' });
    // It may have been ended before it heard the answer.
    expect(JSON.stringify(stage.heard('answered'))).not.toContain('selected');
    expect(left).toEqual([]);
  });

  it('is told that a method is unknown, and continues', async () => {
    const stage = new Stage();
    const asks = { method: 'fs/read_text_file', params: { sessionId: 'first', path: '/etc/passwd' } };
    const { outcome } = await stage.run({ prompts: [[{ requests: asks }, { say: 'Without.' }]] });
    expect(outcome).toMatchObject({ is: 'done', text: 'Without.' });
    expect(stage.heard('answered')).toMatchObject([{ code: -32_601 }]);
  });

  it('is ended when it floods', async () => {
    const { outcome, exit, left } = await new Stage().run({ prompts: [[{ flood: true }]] });
    expect(verdict(outcome)).toBe('later transient E_PROVIDER');
    expect(exit.stdout.length).toBeLessThan(33 * 1024 * 1024);
    expect(left).toEqual([]);
  });

  it('does not exist: its name, and where to get it', async () => {
    const stage = new Stage();
    const { outcome } = await stage.place.run(acpProviderOf(['no-such-agent']), stage.place.turn());
    expect(outcome).toMatchObject({
      is: 'never',
      reason: { text: 'command not found: no-such-agent; `mailroom doctor` looks for agent programs' },
      usage: { usd: 0, tokens: 0 },
    });
    const copilot = await stage.place.run(acpProviderOf(['/nowhere/copilot', '--acp']), stage.place.turn());
    expect(copilot.outcome).toMatchObject({
      reason: { text: 'command not found: /nowhere/copilot; install it: npm install -g @github/copilot' },
    });
  });

  it('ends by KILL where it is deaf to TERM', async () => {
    const stage = new Stage();
    const provider = acpProviderOf(['sh', fixture('ignores-term.sh')]);
    const { outcome, left } = await stage.place.run(provider, stage.place.turn(), { totalMs: 1000 });
    expect(verdict(outcome)).toBe('later transient E_TIMEOUT');
    expect(left).toEqual([]);
  });
});

describe('the quirks of an agent', () => {
  const copilot = { name: 'Copilot', version: '1.0.102' };
  const usage = (inputTokens: number) => ({
    answer: { usage: { inputTokens, outputTokens: 50, totalTokens: inputTokens + 50, cachedReadTokens: 0 } },
  });

  it('its tokens, prompt by prompt, once they are known to be exact', async () => {
    const play = { prompts: [[{ say: 'x' }, usage(1000)]] };
    const counted = async (info: JsonObject) => (await new Stage().run({ ...play, info })).outcome.usage;
    expect(await counted(copilot)).toEqual({ usd: null, tokens: 1050 });
    expect(await counted({ ...copilot, version: '1.0.101' })).toEqual({ usd: null, tokens: null });
    expect(await counted({ name: 'other', version: '9.0.0' })).toEqual({ usd: null, tokens: null });
  });

  it('its tokens where each answer has those of its prompt, thoughts among its output', async () => {
    const stage = new Stage();
    const info = { name: '@agentclientprotocol/codex-acp', version: '2.6.0' };
    const asks = { kind: 'edit', title: 'Write', locations: [{ path: stage.path('x') }] };
    const counted = { inputTokens: 900, cachedReadTokens: 100, outputTokens: 50, thoughtTokens: 20 };
    const answer = { answer: { usage: { ...counted, totalTokens: 1050 } } };
    const play = {
      info,
      prompts: [
        [{ asks }, answer],
        [{ say: 'Without.' }, answer],
      ],
    };
    expect((await stage.run(play)).outcome).toMatchObject({
      text: 'Without.',
      usage: { usd: null, tokens: 2100 },
    });
    const events = [
      { type: 'agent', ...info },
      { type: 'session', id: 's', resumable: true },
      { type: 'answer', stop: 'end_turn', usage: answer.answer.usage },
      { type: 'result', stop: 'end_turn', error: null },
    ];
    const stdout = events.map((event) => JSON.stringify(event)).join('\n');
    const turn = invocation({ model: 'gpt-5.5' });
    // 900 tokens at $5, 100 at $0.5 and 50 at $30 a million.
    expect(acpProviderOf().read(exitOf({ stdout }), turn, 0).usage.usd).toBeCloseTo(0.00605, 9);
  });

  it('its dollars, as those of the conversation', async () => {
    const info = { name: 'OpenCode', version: '1.18.33' };
    const cost = { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.5, currency: 'USD' } };
    const play = { info, capabilities: { loadSession: true }, prompts: [[{ say: 'x' }, { update: cost }]] };
    const resumed = await new Stage().run(play, { session: { id: 'first', usd: 0.2, tokens: 0 } });
    expect(resumed.outcome.usage).toEqual({ usd: 0.3, tokens: null });
  });

  it('a failure of its model that it reports as its words is none of its answers', async () => {
    const say =
      'Error: Failed to get response. Last error: 429 You have hit your usage limit. Try again in 3 hours.';
    const play = { prompts: [[{ say: 'Info: Retrying...' }, { say }]] };
    const { outcome } = await new Stage().run({ ...play, info: copilot });
    expect(verdict(outcome)).toBe('later limited E_PROVIDER');
    expect(verdict((await new Stage().run(play)).outcome)).toBe('done');
  });

  it('a notice after a refusal is no sign that it continues', async () => {
    const stage = new Stage();
    const asks = { kind: 'edit', title: 'Write', locations: [{ path: stage.path('x') }] };
    const acts = [{ asks }, { say: 'Info: Operation cancelled by user' }];
    const { outcome } = await stage.run({ info: copilot, prompts: [acts, [{ say: 'Without.' }]] });
    expect(outcome).toMatchObject({ is: 'done', text: 'Without.' });
  });

  it('the title of a request is its command', async () => {
    const stage = new Stage();
    const asks = { kind: 'execute', title: 'npm test' };
    const info = { name: 'gemini-cli', version: '0.61.0' };
    await stage.run({ info, prompts: [[{ asks }]] }, { capabilities: ['READ', 'RUN_TESTS'] });
    expect(stage.heard('answered')).toMatchObject([{ optionId: 'once' }]);
  });
});

describe('the bounds of a turn', () => {
  it('end it after so many uses of tools, also where it shows them only by asking', async () => {
    const asks = (toolCallId: string) => ({ asks: { kind: 'read', title: 'Read', toolCallId } });
    const acts = ['a', 'b', 'c'].map(asks);
    const { outcome } = await new Stage().run({ prompts: [[...acts, { silence: true }]] }, { maxSteps: 2 });
    expect(verdict(outcome)).toBe('never E_BUDGET');
  });

  it('end a command that takes too long', async () => {
    const update = {
      sessionUpdate: 'tool_call',
      toolCallId: 'a',
      title: 'x',
      kind: 'execute',
      status: 'in_progress',
    };
    const { outcome } = await new Stage().run(
      { prompts: [[{ update }, { silence: true }]] },
      { maxCommandTime: 300 },
    );
    expect(verdict(outcome)).toBe('later transient E_TIMEOUT');
  });
});
