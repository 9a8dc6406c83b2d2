import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { ImpostorProject } from '../support/impostor.ts';

const { bubblewrap } = await probeContainment();

let project: ImpostorProject;
afterEach(() => project.remove());

/** Says which MCP servers it was given, and whether it could write what configures agents. */
const looks = `
  const at = args.indexOf('--mcp-config');
  const { mcpServers = {} } = at < 0 ? {} : JSON.parse(fs.readFileSync(args[at + 1], 'utf8'));
  const servers = Object.keys(mcpServers).filter((name) => name !== 'mailroom');
  const configures = attempt(() => fs.mkdirSync(project + '/.claude/agents', { recursive: true })) === 'done';
  fs.rmSync(project + '/.claude/agents', { force: true, recursive: true });
  fs.writeFileSync(project + '/' + role + '.json', JSON.stringify({ servers, configures }));`;

const roles = `
name: two
version: "1"
roles:
  plain: { provider: claude, capabilities: [READ, EDIT], retries: 0 }
  allowed: { provider: claude, capabilities: [READ, EDIT], retries: 0, mcp: [github], may_configure: true }
messages:
  task: { from: user, to: [plain, allowed] }
  done: { from: [plain, allowed], to: user, closes: true }
start: { type: task, to: plain }
`;

const steps = `
name: two
version: "1"
timeout: 2m
steps:
  plain: { worker: CLAUDE_CODE, instructions: Look., capabilities: [READ, EDIT] }
  allowed:
    worker: CLAUDE_CODE
    instructions: Look.
    capabilities: [READ, EDIT]
    mcp: [github]
    may_configure: true
    depends_on: [plain]
`;

const own = { mcpServers: { github: { command: 'true' }, jira: { command: 'true' } } };

/** What a sandbox keeps from it; without one nothing does. */
const expected = {
  plain: { servers: [], configures: !bubblewrap.works },
  allowed: { servers: ['github'], configures: true },
};

const came = () =>
  Object.fromEntries(
    ['plain', 'allowed'].map((name) => [name, JSON.parse(project.read(`${name}.json`)) as unknown]),
  );

it('gives a role the MCP servers that it names, and lets it write settings where it may', async () => {
  const play = `${looks}\n  send('done', 'user');`;
  project = new ImpostorProject({ plain: play, allowed: play }, { 'protocols/two.yaml': roles });
  writeFileSync(join(project.home, '.claude.json'), JSON.stringify(own));
  project.drop('agents/allowed/inbox/task.md', '---\ntype: task\n---\nLook.\n');
  expect(await project.works('plain')).toMatchObject({ code: 0 });
  expect(came()).toEqual(expected);
});

it('gives a step the MCP servers that it names, and lets it write settings where it may', async () => {
  project = new ImpostorProject({ plain: looks, allowed: looks }, { 'workflows/two.yaml': steps });
  writeFileSync(join(project.home, '.claude.json'), JSON.stringify(own));
  expect(await project.run(['run', 'two', '--plain'])).toMatchObject({ code: 0 });
  expect(came()).toEqual(expected);
});

it('fails a step that names a server which the settings of its CLI do not have', async () => {
  const misnamed = steps.replace('[github]', '[gitlab]');
  project = new ImpostorProject({ plain: looks, allowed: looks }, { 'workflows/two.yaml': misnamed });
  writeFileSync(join(project.home, '.claude.json'), JSON.stringify(own));
  const ran = await project.run(['run', 'two', '--plain']);
  expect(ran.code).toBe(1);
  const file = join(project.home, '.claude.json');
  expect(ran.stdout + ran.stderr).toContain(
    `claude knows no MCP server \`gitlab\`: ${file} does not define it; add it there, or do not ask for it`,
  );
});
