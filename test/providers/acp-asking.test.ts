import { describe, expect, it } from 'vitest';
import { Stage } from './acp-stage.ts';
import type { DecidedCalls } from '../../src/kernel/asked-call.ts';
import type { Invocation } from '../../src/providers/provider.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

const capabilities = { sessionCapabilities: { resume: {} } };
const run = (command: string, toolCallId = command): JsonObject => ({
  asks: { kind: 'execute', title: command, rawInput: { command }, toolCallId },
});
const nobody: DecidedCalls = { allowed: [], denied: [] };

const turn = (asking: DecidedCalls | null, changes: Partial<Invocation> = {}): Partial<Invocation> => ({
  asking,
  capabilities: ['READ', 'EDIT', 'RUN_TESTS'],
  ...changes,
});

/** The keys of the calls of an outcome that asks. */
async function keysOf(stage: Stage, acts: JsonObject[]): Promise<readonly string[]> {
  const { outcome } = await stage.run({ prompts: [acts], capabilities }, turn(nobody));
  return (outcome.is === 'done' ? (outcome.asks ?? []) : []).map(({ key }) => key);
}

describe('an agent whose role asks a person', { timeout: 60_000 }, () => {
  it('ends with the question, and leaves no process', async () => {
    const stage = new Stage();
    const { outcome, left } = await stage.run(
      { prompts: [[{ say: 'I need it.' }, run('npm install'), { say: 'never said' }]], capabilities },
      turn(nobody),
    );
    expect(outcome).toMatchObject({
      is: 'done',
      session: { id: 'first' },
      denials: [],
      asks: [{ title: 'npm install', kind: 'execute', command: 'npm install', paths: [], input: null }],
    });
    expect(stage.heard('session/cancel')).toEqual([{ sessionId: 'first' }]);
    expect(stage.heard('answered')).toEqual([{ outcome: 'cancelled' }]);
    expect(left).toEqual([]);
  });

  it('asks about what it wants at the same time at once', async () => {
    const stage = new Stage();
    const { outcome } = await stage.run(
      { prompts: [[{ together: [run('one'), run('two')] }]], capabilities },
      turn(nobody),
    );
    expect(outcome.is === 'done' && outcome.asks?.map(({ command }) => command)).toEqual(['one', 'two']);
  });

  it('may do exactly what was allowed, once, and never what was refused', async () => {
    const stage = new Stage();
    const [allowed = '', denied = ''] = await keysOf(stage, [{ together: [run('one'), run('two')] }]);
    const before = stage.heard('answered').length;
    const session = { id: 'first', usd: 0, tokens: 0 };
    const acts = [run('two'), run('one'), run('one', 'again')];
    const { outcome } = await stage.run(
      { prompts: [acts], capabilities },
      turn({ allowed: [allowed], denied: [denied] }, { session }),
    );
    expect(stage.heard('answered').slice(before)).toEqual([
      { outcome: 'selected', optionId: 'no' },
      { outcome: 'selected', optionId: 'once' },
      { outcome: 'cancelled' },
    ]);
    expect(outcome).toMatchObject({ asks: [{ command: 'one' }], denials: ['two: two'] });
    expect(JSON.stringify(stage.heard('session/resume'))).toContain('first');
  });

  const edit = (path: string) => ({ kind: 'edit', title: 'Write', locations: [{ path }] });
  const fetched = (url: string) => ({ kind: 'fetch', title: 'Fetch', rawInput: { url } });

  it('asks about what its capabilities leave open, and knows the same again', async () => {
    const stage = new Stage();
    const calls = [
      fetched('http://a'),
      fetched('http://b'),
      fetched('http://a'),
      edit('/srv/a'),
      { kind: 'read', title: 'x', locations: [{ path: '/etc/hosts' }] },
    ];
    const together = calls.map((asks, each) => ({ asks: { ...asks, toolCallId: `c${String(each)}` } }));
    const keys = await keysOf(stage, [{ together }]);
    expect(keys).toHaveLength(5);
    expect([new Set(keys).size, keys[0] === keys[2]]).toEqual([4, true]);
  });

  it('never asks about what nobody may allow, or could not see', async () => {
    const stage = new Stage();
    const always = [{ optionId: 'a', name: 'A', kind: 'allow_always' }];
    const calls: JsonObject[] = [
      edit('.claude/settings.json'),
      edit('.git/hooks/pre-commit'),
      { kind: 'switch_mode', title: 'yolo' },
      { ...edit('/srv/a'), rawInput: { path: '.env' } },
      { kind: 'execute', rawInput: { command: `x${'y'.repeat(5000)}` } },
      { kind: 'execute', rawInput: { command: 'a \u202E b' } },
      { ...edit('/srv/a'), offers: always },
    ];
    const acts = calls.map((asks, each) => ({ asks: { ...asks, toolCallId: `c${String(each)}` } }));
    const { outcome } = await stage.run({ prompts: [acts], capabilities }, turn(nobody));
    expect(outcome).not.toHaveProperty('asks');
    expect(outcome.is === 'done' && outcome.denials).toHaveLength(calls.length);
  });

  it('refuses where the agent resumes no conversations, and says so', async () => {
    const stage = new Stage();
    const { outcome } = await stage.run(
      { prompts: [[run('one'), { say: 'Without.' }], [{ say: 'On.' }]] },
      turn(nobody),
    );
    expect(outcome).toMatchObject({ is: 'done', denials: ['one: one'] });
    expect(outcome).not.toHaveProperty('asks');
  });

  it('asks nobody where its role does not', async () => {
    const stage = new Stage();
    const { outcome } = await stage.run({ prompts: [[run('one'), { say: 'x' }]], capabilities }, turn(null));
    expect(outcome).not.toHaveProperty('asks');
  });

  it('is ended where it does not end its turn', async () => {
    const stage = new Stage();
    const play = { prompts: [[{ together: [run('one'), { silence: true, deaf: true }] }]], capabilities };
    const { outcome, left } = await stage.run(play, turn(nobody));
    expect(outcome).toMatchObject({ is: 'done', asks: [{ command: 'one' }] });
    expect(left).toEqual([]);
  });
});
