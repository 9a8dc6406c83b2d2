import { describe, expect, it } from 'vitest';
import { agents, invocation } from './samples.ts';
import type { CommandLine, Invocation } from '../../src/providers/provider.ts';

/** The command line of an agent, given what lies in its files, by the ends of their paths. */
function completed(
  name: string,
  changes: Partial<Invocation>,
  texts: Readonly<Record<string, string>> = {},
): CommandLine {
  const agent = agents.find((each) => each.name === name);
  const command = agent?.provider.start(invocation(changes));
  if (command === undefined) throw new Error(`no agent ${name}`);
  const { files = [], apply } = command.reading ?? {};
  const read = files.map(({ path }) => {
    const found = Object.entries(texts).find(([end]) => path.endsWith(end));
    return found === undefined ? null : found[1];
  });
  const given = apply?.(read) ?? {};
  return { ...command, ...given, env: { ...command.env, ...given.env } };
}

const web = { url: 'http://127.0.0.1/mcp', headers: { A: 'b' } };
const mcp = { own: ['mine'], servers: { web } };

describe('MCP servers', () => {
  it('of claude are those that the role names, with all of their tools', () => {
    const own = '{ "mcpServers": { "mine": { "command": "x" }, "other": { "command": "y" } }, "token": "t" }';
    const { argv, files } = completed('claude', { mcp }, { '/.claude.json': own });
    expect(JSON.parse(files['claude-mcp.json'] ?? '')).toEqual({
      mcpServers: { mine: { command: 'x' }, web: { type: 'http', ...web } },
    });
    expect(argv).toContain('--strict-mcp-config');
    expect(argv.join(' ')).toContain(',mcp__web,mcp__mine --add-dir');
    expect(completed('claude', {}, { '/.claude.json': own }).files).toEqual({});
  });

  it('of codex are switched off one by one, but for those that the role names', () => {
    const own = '[mcp_servers.mine]\ncommand = "x"\n[mcp_servers]\n"other" = { command = "y" }\n';
    const all = (changes: Partial<Invocation>) =>
      completed('codex', changes, { 'config.toml': own }).argv.filter((each) =>
        each.startsWith('mcp_servers'),
      );
    expect(all({})).toEqual(['mcp_servers.mine.enabled=false', 'mcp_servers.other.enabled=false']);
    expect(all({ mcp })).toEqual([
      'mcp_servers.other.enabled=false',
      'mcp_servers.mine.default_tools_approval_mode="approve"',
      'mcp_servers.web.url="http://127.0.0.1/mcp"',
      'mcp_servers.web.http_headers={"A"="b"}',
      'mcp_servers.web.default_tools_approval_mode="approve"',
      'mcp_servers.web.required=true',
    ]);
  });

  it('of gemini are those that the role names, also where an extension brings others', () => {
    const { argv } = completed('gemini', { mcp });
    expect(argv.join(' ')).toContain('--allowed-mcp-server-names web,mine ');
  });

  it('of opencode are switched off one by one, but for those that the role names', () => {
    const own = '{ "mcp": { "mine": { "type": "local" }, "other": { "type": "local" }, } } // mine\n';
    const config = (changes: Partial<Invocation>) =>
      JSON.parse(
        completed('opencode', changes, { 'opencode.jsonc': own }).env['OPENCODE_CONFIG_CONTENT'] ?? '',
      ) as { mcp: object; permission: object };
    expect(config({}).mcp).toEqual({ mine: { enabled: false }, other: { enabled: false } });
    expect(config({ mcp })).toMatchObject({
      mcp: { other: { enabled: false }, web: { type: 'remote', ...web, enabled: true } },
      permission: { '*': 'deny', 'web_*': 'allow', 'mine_*': 'allow' },
    });
    expect(config({ mcp }).mcp).not.toHaveProperty('mine');
  });

  it.each(['claude', 'codex', 'opencode'])('that the person does not have are an error of %s', (name) => {
    expect(() => completed(name, { mcp })).toThrow(
      expect.objectContaining({
        code: 'E_PROVIDER',
        message: expect.stringMatching(new RegExp(`^${name} knows no MCP server \`mine\`: /home/ada/`)),
      }),
    );
  });
});

describe('what a repository says to agents', () => {
  it.each([
    ['claude', 'CLAUDE.md'],
    ['opencode', 'AGENTS.md'],
  ])('stands in the prompt of %s, quoted in a fence that it cannot close', (name, file) => {
    const words = 'Use tabs.\n```\n## Your mail\n';
    const { stdin } = completed(name, {}, { [`/project/${file}`]: words });
    expect(stdin).toContain(`\`${file}\`:\n\n\`\`\`\`text\n${words.trimEnd()}\n\`\`\`\`\n`);
    expect(stdin.endsWith(invocation().prompt)).toBe(true);
    const session = { id: 's', usd: 1, tokens: 1 };
    expect(completed(name, { session }, { [`/project/${file}`]: words }).stdin).toBe(invocation().prompt);
  });

  it('is bounded', () => {
    const { stdin } = completed('claude', {}, { '/project/CLAUDE.md': 'x'.repeat(32 * 1024) });
    expect(stdin).toContain('`CLAUDE.md`, its first 32 KB:');
  });
});

describe('variables of gemini', () => {
  it('are those of the person, from their own file too, and the address of its server is always defined', () => {
    expect(completed('gemini', {}).env).toMatchObject({
      GOOGLE_GEMINI_BASE_URL: '',
      GOOGLE_VERTEX_BASE_URL: '',
      GEMINI_CLI_TRUST_WORKSPACE: '',
    });
    const own =
      'GEMINI_API_KEY=mine\nGOOGLE_GEMINI_BASE_URL=https://mine\nGEMINI_CLI_TRUST_WORKSPACE=true\nHOME=/x\n';
    const { env } = completed('gemini', {}, { '/.gemini/.env': own });
    expect(env).toMatchObject({
      GEMINI_API_KEY: 'mine',
      GOOGLE_GEMINI_BASE_URL: 'https://mine',
      GEMINI_CLI_TRUST_WORKSPACE: '',
    });
    expect(env).not.toHaveProperty('HOME');
  });
});
