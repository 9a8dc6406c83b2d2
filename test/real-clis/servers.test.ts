import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { clis, type Cli } from './support/clis.ts';
import type { Answer } from './support/model.ts';
import { gather } from './support/team.ts';

/** A server of one tool over the Model Context Protocol. */
const server = `
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'hub', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'ask', description: 'Asks.', inputSchema: { type: 'object', properties: {} } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'hub answers' }] }),
  ping: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params ?? {});
  if (id !== undefined && result) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
`;

/** Where a person sets up their servers; pi has no client for them. */
const settings: Readonly<
  Record<Exclude<Cli['name'], 'pi'>, (command: string, path: string) => [string, string]>
> = {
  claude: (command, path) => [
    '.claude/.claude.json',
    JSON.stringify({ mcpServers: { hub: { command, args: [path] } } }),
  ],
  codex: (command, path) => [
    '.codex/config.toml',
    `[mcp_servers.hub]\ncommand = ${JSON.stringify(command)}\nargs = [${JSON.stringify(path)}]\n`,
  ],
  gemini: (command, path) => [
    '.gemini/settings.json',
    JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      mcpServers: { hub: { command, args: [path] } },
    }),
  ],
  opencode: (command, path) => [
    '.config/opencode/opencode.json',
    JSON.stringify({ mcp: { hub: { type: 'local', command: [command, path] } } }),
  ],
};

const role = ({ name, model }: Cli) =>
  `---\nprovider: ${name}\nmodel: ${model}\ncapabilities: [READ]\n---\nYou are one.\n`;

const workflow = `
workflow: { id: two, name: Two, version: 1.0.0 }
stages:
  - { id: plain, name: Stage plain, roles: { primary: { artifact: "agent:one" } } }
  - id: helped
    name: Stage helped
    depends_on: [plain]
    roles: { primary: { artifact: "agent:one" }, tools: ["mcp:hub"] }
`;

const connecting = clis.filter((cli): cli is Cli & { name: keyof typeof settings } => cli.name !== 'pi');

it.each(connecting)(
  'connects $name with a server of the person in the stage that names it alone',
  async (cli) => {
    const { project, model, env } = await gather([cli], {
      'agents/one/role.md': role(cli),
      'workflows/two.yaml': workflow,
      'hub.mjs': server,
    });
    const [path, text] = settings[cli.name](process.execPath, join(project.root, 'hub.mjs'));
    const file = join(env['HOME'] ?? '', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const tool = { name: cli.served('ask').replace('mailroom', 'hub'), arguments: {} };
    const heard: string[][] = [];
    model.plays(({ results }): Answer => {
      if (results.length === 0) return { say: 'I ask.', tools: [tool] };
      heard.push([...results]);
      return { say: 'Done.' };
    });
    const ran = await project.run(['run', 'two', '--json'], env);
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'SUCCEEDED' });
    expect(heard.map((results) => results.join().includes('hub answers'))).toEqual([false, true]);
  },
);
