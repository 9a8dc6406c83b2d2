import { describe, expect, it } from 'vitest';
import { says, Stage } from './acp-stage.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

const session = { id: 'first', usd: 0, tokens: 0 };

describe('an agent begins its work only in the mode in which it asks', () => {
  const modesOf = (currentModeId: string, ...ids: readonly string[]) => ({
    modes: { currentModeId, availableModes: ids.map((id) => ({ id, name: id })) },
  });
  const option = (id: string, currentValue: string | boolean, type = 'select') => ({
    id,
    name: id,
    type,
    category: 'permissions',
    currentValue,
    options: [
      { value: 'on', name: 'On' },
      { value: 'off', name: 'Off' },
    ],
  });
  const codex = { name: '@agentclientprotocol/codex-acp', version: '2.6.0' };
  const of = (name: string) => ({ name, version: '9.9.9' });
  const codexModes = modesOf('agent', 'read-only', 'workspace-write', 'agent', 'agent-full-access');
  const refused = { code: -32_602, message: 'Invalid params' };
  const leaves = (currentModeId: string) => ({
    update: { sessionUpdate: 'current_mode_update', currentModeId },
  });

  it.each<readonly [string, JsonObject, JsonObject, string]>([
    ['codex-acp', codex, codexModes, 'read-only'],
    ['qwen', of('qwen-code'), modesOf('auto', 'plan', 'default', 'auto', 'yolo'), 'default'],
    ['droid', of('@factory/cli'), modesOf('auto-high', 'normal', 'spec', 'auto-high'), 'normal'],
    ['cline', of('cline'), modesOf('plan', 'plan', 'act'), 'act'],
    ['kimi', of('Kimi Code CLI'), modesOf('yolo', 'default', 'yolo'), 'default'],
    ['auggie', of('auggie'), modesOf('ask', 'default', 'ask'), 'default'],
    ['one that nobody knows', of('other'), modesOf('auto', 'auto', 'ask'), 'ask'],
  ])('%s', async (_, info, opened, modeId) => {
    const stage = new Stage();
    const { outcome } = await stage.run({ ...says('x'), info, opened });
    expect(outcome).toMatchObject({ is: 'done' });
    expect(stage.heard('session/set_mode')).toEqual([{ sessionId: 'first', modeId }]);
  });

  it.each<readonly [string, JsonObject, string]>([
    [
      'does not offer it',
      { opened: modesOf('agent', 'agent', 'other') },
      'it has the modes agent, other, and not read-only',
    ],
    [
      'refuses it',
      { opened: codexModes, refuses: { 'session/set_mode': refused } },
      'it refused the mode read-only: Invalid params',
    ],
    [
      'has no modes any more',
      { refuses: { 'session/set_mode': refused } },
      'it refused the mode read-only: Invalid params',
    ],
  ])('that %s gets no work', async (_, play, why) => {
    const stage = new Stage();
    const { outcome } = await stage.run({ ...says('x'), info: codex, ...play });
    expect(outcome).toMatchObject({
      is: 'never',
      reason: {
        text: `fake is not in the mode in which it asks for permission, so it gets no work: ${why}`,
      },
      usage: { usd: 0, tokens: 0 },
    });
    expect(stage.heard('session/prompt')).toEqual([]);
  });

  it('also where it resumes a conversation, and does not say in which mode', async () => {
    const stage = new Stage();
    const play = { ...says('x'), info: codex, capabilities: { sessionCapabilities: { resume: {} } } };
    expect((await stage.run(play, { session })).outcome).toMatchObject({ is: 'done' });
    expect(stage.heard('session/set_mode')).toEqual([{ sessionId: 'first', modeId: 'read-only' }]);
  });

  it('and is ended when it leaves it', async () => {
    const left = async (update: JsonObject) => {
      const stage = new Stage();
      const asks = { kind: 'edit', title: 'Write', locations: [{ path: stage.path('x') }] };
      const play = { prompts: [[update, { asks }, { silence: true }]], info: codex, opened: codexModes };
      const { outcome, left: processes } = await stage.run(play, { capabilities: ['READ', 'EDIT'] });
      expect(processes).toEqual([]);
      expect(JSON.stringify(stage.heard('answered'))).not.toContain('once');
      return outcome.is === 'done' ? null : outcome.reason.text;
    };
    expect(await left(leaves('agent-full-access'))).toContain(
      'it left the mode read-only for agent-full-access',
    );
    const options = [{ ...option('mode', 'agent'), category: 'mode' }];
    const update = { update: { sessionUpdate: 'config_option_update', configOptions: options } };
    expect(await left(update)).toContain('it left the mode read-only for agent');
  });

  it('and continues when it only says that it is there', async () => {
    const play = { prompts: [[leaves('read-only'), { say: 'Here.' }]], info: codex, opened: codexModes };
    expect((await new Stage().run(play)).outcome).toMatchObject({ is: 'done', text: 'Here.' });
    const other = { prompts: [[leaves('yolo'), { say: 'Here.' }]] };
    expect((await new Stage().run(other)).outcome).toMatchObject({ is: 'done', text: 'Here.' });
  });

  it('with the options off by which it would not ask', async () => {
    const copilotMode = 'https://agentclientprotocol.com/protocol/session-modes#agent';
    const stage = new Stage();
    const opened = { ...modesOf(copilotMode, copilotMode), configOptions: [option('allow_all', 'on')] };
    const { outcome } = await stage.run({ ...says('x'), info: of('Copilot'), opened });
    expect(stage.heard('session/set_config_option')).toMatchObject([{ configId: 'allow_all', value: 'off' }]);
    // Its answer shows that nothing changed.
    expect(outcome).toMatchObject({
      is: 'never',
      reason: { text: expect.stringContaining('allow_all is not off') },
    });
    const configOptions = [option('auto_approve', false, 'boolean')];
    const off = { ...modesOf('act', 'plan', 'act'), configOptions };
    expect((await new Stage().run({ ...says('x'), info: of('cline'), opened: off })).outcome).toMatchObject({
      is: 'done',
    });
  });
});
