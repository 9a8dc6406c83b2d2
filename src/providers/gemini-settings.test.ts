import { describe, expect, it } from 'vitest';
import { invocation } from '../../test/contract/providers-samples.ts';
import type { Invocation } from '../core/ports.ts';
import { geminiHome } from './gemini-settings.ts';

describe('the settings of gemini', () => {
  const tools = { command: ['/bin/mailroom', 'mcp'], readable: [] };
  const settings = (own: string | null, changes: Partial<Invocation> = {}): Record<string, unknown> => {
    const { text } = geminiHome(invocation(changes)).settings;
    return JSON.parse(text(own, '/home/ada/.gemini/settings.json')) as Record<string, unknown>;
  };

  it('are defaults under those of the person, comments and all', () => {
    expect(settings(null)).toEqual({
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
      privacy: { usageStatisticsEnabled: false },
    });
    const own =
      '{ // mine\n "general": { "maxAttempts": 5 /* "more" */ }, "ui": { "theme": "//no comment" } }';
    expect(settings(own)).toMatchObject({
      general: { enableAutoUpdate: false, maxAttempts: 5 },
      ui: { theme: '//no comment' },
    });
  });

  it('bring the tools of the turn besides the servers of the person, also where those are listed', () => {
    const own = '{ "mcpServers": { "mine": { "command": "x" } }, "mcp": { "allowed": ["mine"] } }';
    expect(settings(own, { tools })).toMatchObject({
      mcpServers: {
        mine: { command: 'x' },
        mailroom: { command: '/bin/mailroom', args: ['mcp'], env: { MAILROOM_TURN: 't7' }, trust: true },
      },
      mcp: { allowed: ['mine', 'mailroom'] },
    });
    expect(settings('{}', { tools })).not.toHaveProperty('mcp');
    expect(settings(own)).toMatchObject({ mcp: { allowed: ['mine'] } });
  });

  it.each([
    [
      '{ "general": ',
      /^gemini cannot use \/home\/ada\/\.gemini\/settings\.json: .+; mend that file, or remove it$/,
    ],
    ['[]', /settings\.json: it holds no JSON object;/],
  ])('are refused with the place of %j', (own, words) => {
    expect(() => settings(own)).toThrow(words);
  });
});
