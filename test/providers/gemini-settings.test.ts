import { describe, expect, it } from 'vitest';
import { invocation } from './samples.ts';
import { geminiHome } from '../../src/providers/gemini-settings.ts';
import type { Invocation } from '../../src/providers/provider.ts';

describe('the settings of gemini', () => {
  const { folder } = invocation().paths;
  const tools = { command: ['/bin/mailroom', 'mcp'], readable: [] };
  const settings = (own: string | null, changes: Partial<Invocation> = {}): Record<string, unknown> => {
    const { text } = geminiHome(invocation(changes)).settings;
    return JSON.parse(text(own, '/home/ada/.gemini/settings.json')) as Record<string, unknown>;
  };

  const ours = {
    security: { folderTrust: { enabled: true } },
    advanced: { ignoreLocalEnv: true },
    adminPolicyPaths: [`${folder}/gemini-policy.toml`],
    context: { includeDirectories: [`${folder}/outbox`] },
  };

  it('are defaults under those of the person, comments and all, and what shuts the repository out above them', () => {
    expect(settings(null)).toEqual({
      general: {
        enableAutoUpdate: false,
        enableAutoUpdateNotification: false,
        maxAttempts: 3,
        sessionRetention: { enabled: false },
      },
      privacy: { usageStatisticsEnabled: false },
      ...ours,
      mcpServers: {},
    });
    const own =
      '{ // mine\n "general": { "maxAttempts": 5 /* "more" */, }, "ui": { "theme": "//no comment" }, ' +
      '"security": { "folderTrust": { "enabled": false }, "auth": {} }, "context": { "includeDirectories": ["/a"] } }';
    expect(settings(own)).toMatchObject({
      general: { enableAutoUpdate: false, maxAttempts: 5 },
      ui: { theme: '//no comment' },
      security: { folderTrust: { enabled: true }, auth: {} },
      context: { includeDirectories: ['/a', `${folder}/outbox`] },
    });
  });

  it.each([
    '{ "general": { "sessionRetention": { "enabled": true, "maxAge": "30d" }, "vimMode": true } }',
    '{ "general": { "sessionRetention": { "enabled": false, "maxAge": "30d" }, "vimMode": true } }',
    '{ "general": { "sessionRetention": { "maxAge": "30d" }, "vimMode": true } }',
  ])('let no turn remove conversations, and lose nothing else of %j', (own) => {
    expect(settings(own)['general']).toEqual({
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      maxAttempts: 3,
      vimMode: true,
      sessionRetention: { enabled: false, maxAge: '30d' },
    });
  });

  it.each(['{ "general": { "sessionRetention": true } }', '{ "general": [] }', '{ "general": "x" }'])(
    'let no turn remove conversations, whatever stands there: %j',
    (own) => {
      expect(settings(own)['general']).toMatchObject({ sessionRetention: { enabled: false } });
    },
  );

  it('bring the tools of the turn and servers that it was given, and of the person only those that it names', () => {
    const own =
      '{ "mcpServers": { "mine": { "command": "x", "trust": false }, "other": { "command": "y" } } }';
    const mcp = { own: ['mine'], servers: { web: { url: 'http://127.0.0.1/mcp', headers: { A: 'b' } } } };
    expect(settings(own, { tools })['mcpServers']).toEqual({
      mailroom: expect.objectContaining({ command: '/bin/mailroom', args: ['mcp'], trust: true }),
    });
    expect(settings(own, { mcp })['mcpServers']).toEqual({
      mine: { command: 'x', trust: true },
      web: { httpUrl: 'http://127.0.0.1/mcp', headers: { A: 'b' }, trust: true },
    });
    expect(() => settings('{}', { mcp })).toThrow(
      'gemini knows no MCP server `mine`: /home/ada/.gemini/settings.json does not define it; add it there, or do not ask for it',
    );
  });

  it.each([
    [
      '{ "general": ',
      /^gemini cannot use \/home\/ada\/\.gemini\/settings\.json: .+; correct that file, or remove it$/,
    ],
    ['[]', /settings\.json: it holds no JSON object;/],
  ])('are refused with the place of %j', (own, words) => {
    expect(() => settings(own)).toThrow(words);
  });
});
