import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { build } from 'esbuild';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseMessage } from '../../src/mail/format/read-message.ts';
import { CliProject } from '../support/clis.ts';
import { program } from '../support/project.ts';

/** The client of the SDK in one file: the agents that the test writes have a sandbox around them. */
let sdk: Readonly<Record<string, string>> = {};
beforeAll(async () => {
  const text = `export * from '@modelcontextprotocol/client'; export * from '@modelcontextprotocol/client/stdio';`;
  const { outputFiles } = await build({
    stdin: { contents: text, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    write: false,
  });
  sdk = { 'sdk.cjs': outputFiles[0]?.text ?? '' };
});

let project: CliProject;
let client: Client | null = null;
afterEach(async () => {
  await client?.close();
  client = null;
  project.remove();
});

const team = `
name: two
version: "1"
roles:
  maker: { provider: claude, capabilities: [READ] }
  checker: { provider: codex, capabilities: [READ] }
messages:
  task: { from: user, to: maker }
  review: { from: maker, to: checker, reply: [verdict], blocking: true }
  verdict: { from: checker, to: maker, fields: { good: { type: boolean, required: true } } }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

/** An agent of either kind that talks to the server it was given, as its CLI would. */
const agent = `
const { Client, StdioClientTransport } = require(env.MAILROOM_PROJECT + '/sdk.cjs');
const toml = (name) => argv.find((each) => each.startsWith('mcp_servers.mailroom.' + name + '='))?.split('=').slice(1).join('=');
const config = argv.indexOf('--mcp-config');
const told = config > 0 ? JSON.parse(readFileSync(argv[config + 1], 'utf8')).mcpServers.mailroom : {
  command: JSON.parse(toml('command')), args: JSON.parse(toml('args')),
  env: Object.fromEntries([...toml('env').matchAll(/"(\\w+)"=("(?:[^"\\\\\\\\]|\\\\\\\\.)*")/g)].map(([, name, text]) => [name, JSON.parse(text)])),
};
const client = new Client({ name: 'agent', version: '1' });
await client.connect(new StdioClientTransport({ command: told.command, args: told.args, env: told.env, cwd: '/' }));
const tool = async (name, given = {}) => (await client.callTool({ name, arguments: given })).content[0].text;
const say = (said) => event({ said });
`;

const maker = `${agent}
const [message] = messages;
if (message.includes('type: task')) {
  await tool('report_progress', { text: 'reading the task' });
  say(await tool('send_message', { to: 'checker', type: 'verdict', body: 'no' }));
  say(await tool('ask', { to: 'checker', question: 'Is it good?' }));
} else {
  say(await tool('read_thread'));
  await tool('send_message', { to: 'user', body: 'It is good.', subject: 'Done' });
}
await client.close();
claude('ok');`;

const checker = `${agent}
await tool('send_message', { to: 'maker', type: 'verdict', fields: { good: true }, body: 'Yes.' });
await client.close();
codex('ok');`;

interface Row {
  readonly thread: string;
  readonly type: string;
  readonly body: string;
  readonly fields: object;
}

/** A project, and a client of the tools of a turn of the maker, which stages into `staging`. */
async function connect(): Promise<Client> {
  project = new CliProject({ 'protocols/team.yaml': team, 'mailroom.yaml': 'trail: off\nmcp: on\n' }, {});
  const outbox = join(project.root, 'staging');
  mkdirSync(outbox);
  return await clientOf({ MAILROOM_THREAD: 'th', MAILROOM_TURN: 't1', MAILROOM_OUTBOX: outbox });
}

/** A client of the tools of a turn of the maker in the project. */
async function clientOf(turn: Readonly<Record<string, string>>): Promise<Client> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    MAILROOM_PROJECT: project.root,
    MAILROOM_ROLE: 'maker',
    MAILROOM_ATTEMPT: '1',
    MAILROOM_OUTBOX: join(project.root, `.mailroom/turns/${turn['MAILROOM_TURN'] ?? ''}/1/outbox`),
    ...turn,
  };
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }));
  return client;
}

describe('the tools of a turn', () => {
  it('do what files do, whatever CLI hands them to its agent', async () => {
    project = new CliProject(
      { 'protocols/team.yaml': team, 'mailroom.yaml': 'trail: off\nmcp: on\n', ...sdk },
      { claude: maker, codex: checker },
    );
    project.drop('agents/maker/inbox/task.md', 'Make it\n');
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    const rows = JSON.parse((await project.run(['trail', '--json'])).stdout) as Row[];
    expect(rows.map(({ type, body }) => [type, body.trim()])).toEqual([
      ['task', 'Make it'],
      ['review', 'Is it good?'],
      ['verdict', 'Yes.'],
      ['done', 'It is good.'],
    ]);
    expect(rows[2]?.fields).toEqual({ good: true });
    const said = ['t1', 't3'].map((turn) => project.read(`.mailroom/turns/${turn}/1/stdout`)).join('\n');
    expect(said).toContain('E_FORBIDDEN');
    expect(said).toContain('Asked. End your turn now');
    expect(said).toMatch(
      /type: task[\s\S]*Make it[\s\S]*type: review[\s\S]*Is it good\?[\s\S]*type: verdict/,
    );
    const staging = project.list('.mailroom/turns/t3/1/outbox');
    const late = await clientOf({ MAILROOM_THREAD: rows[0]?.thread ?? '', MAILROOM_TURN: 't3' });
    const calls = {
      send_message: { to: 'user', type: 'done', body: 'Late' },
      ask: { to: 'checker', question: 'Late?' },
      read_thread: {},
      report_progress: { text: 'late' },
    };
    for (const [name, given] of Object.entries(calls))
      expect(await late.callTool({ name, arguments: given })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^E_REFUSED: attempt 1 of turn t3 is over/) as string }],
      });
    expect(project.list('.mailroom/turns/t3/1/outbox')).toEqual(staging);
  });

  it.each([
    ['nothing says so', team, 'none'],
    ['the role says so', team.replace('maker: {', 'maker: { mcp: on,'), 'tools'],
    ['the role names them', team.replace('maker: {', 'maker: { mcp: [mailroom],'), 'tools'],
  ])('are there only where they are wanted: %s', async (_, protocol, found) => {
    project = new CliProject(
      { 'protocols/team.yaml': protocol, 'mailroom.yaml': 'trail: off\n' },
      { claude: `send('done', 'user', argv.includes('--mcp-config') ? 'tools' : 'none'); claude('ok');` },
    );
    project.drop('agents/maker/inbox/task.md', 'Make it\n');
    expect((await project.run(['up', '--until-idle'])).code).toBe(0);
    expect((await project.run(['trail'])).stdout).toContain(found);
  });

  it('write into the staging folder of their turn and nowhere else', async () => {
    const connected = await connect();
    const { tools } = await connected.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['send_message', 'ask', 'read_thread', 'report_progress']);
    for (const { outputSchema } of tools)
      expect(outputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    const call = async (name: string, given: Record<string, unknown>) => {
      const { content, structuredContent } = await connected.callTool({ name, arguments: given });
      return [structuredContent, ...content.map((each) => each.type === 'text' && each.text)];
    };
    const message = expect.stringMatching(/^Staged .*\. It is sent when this turn ends\.$/) as string;
    expect(await call('send_message', { to: 'user', type: 'done', body: 'Made' })).toEqual([
      { path: expect.stringMatching(/\.md$/) as string, message },
      message,
    ]);
    expect(await call('report_progress', { text: 'half' })).toEqual([{ message: 'Noted.' }, 'Noted.']);
    expect(await call('read_thread', {})).toEqual([{ thread: '' }, '']);
    const markdown = '---\ntype: task\n---\n# Heading\n\n---\nrest\n';
    const rule = '---\nA rule is all that it has.\n';
    for (const body of [markdown, rule])
      await connected.callTool({ name: 'send_message', arguments: { to: 'user', type: 'done', body } });
    const [progress, ...letters] = project.list('staging');
    expect([progress, letters.length]).toEqual(['.progress', 3]);
    const staged = letters.map((name) => project.read(`staging/${name}`));
    expect(staged).toContain('---\ntype: "done"\nto: ["user"]\n---\nMade\n');
    const bodies = staged.map((text) => {
      const parsed = parseMessage(text, 'staged');
      return parsed.ok && parsed.value.type === 'done' ? parsed.value.body : null;
    });
    expect(new Set(bodies)).toEqual(new Set(['Made\n', markdown, rule]));
    expect(project.list('.')).toEqual(['mailroom.yaml', 'protocols', 'staging']);
    expect(await connected.callTool({ name: 'send_message', arguments: { body: 'x' } })).toMatchObject({
      isError: true,
    });
    const why = { name: 'ask', arguments: { to: 'user', question: 'Why?' } };
    const [{ path }] = (await call(why.name, why.arguments)) as [{ path: string }];
    expect(project.read(relative(project.root, path))).toBe(
      '---\ntype: "question"\nto: ["user"]\n---\nWhy?\n',
    );
    const own = '  answer: { from: user, to: checker }\n';
    project.write('protocols/team.yaml', team.replace('start:', `${own}start:`));
    expect(await connected.callTool(why)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('maker may ask user nothing') }],
    });
  });

  it('let no agent be anybody else, or reach what its role cannot', async () => {
    const connected = await connect();
    const letter = { to: 'user', type: 'done', body: 'Made' };
    const refused: readonly (readonly [string, object])[] = [
      ['send_message', { ...letter, from: 'user' }],
      ['send_message', { ...letter, thread: 'another' }],
      ['send_message', { ...letter, id: '0190-0000' }],
      ['send_message', { ...letter, in_reply_to: '0190-0000' }],
      ['send_message', { ...letter, role: 'checker' }],
      ['send_message', { ...letter, to: '__proto__' }],
      ['send_message', { ...letter, to: ['user', 'constructor'] }],
      ['send_message', { ...letter, to: '../user' }],
      ['send_message', { ...letter, type: 'constructor' }],
      ['send_message', { ...letter, attachments: ['../../etc/passwd'] }],
      ['send_message', { ...letter, attachments: ['/etc/passwd'] }],
      ['ask', { to: 'stranger', question: 'May I?' }],
      ['report_progress', { text: 'x'.repeat(501) }],
      ['report_progress', { text: 'x', role: 'checker' }],
      ['read_thread', { thread: 'another' }],
    ];
    const answers = await Promise.all(
      refused.map(async ([name, given]) => {
        const { isError } = await connected.callTool({ name, arguments: { ...given } });
        return [name, given, isError];
      }),
    );
    expect(answers).toEqual(refused.map((each) => [...each, true]));
    for (const name of ['approve', 'inbox', 'reply', 'send', 'run', 'status', 'constructor'])
      await expect(connected.callTool({ name, arguments: {} })).rejects.toThrow(/not found|disabled/);
    expect(project.list('staging')).toEqual([]);
  });

  it('are listed before the program that serves them is loaded', async () => {
    const connected = await connect();
    project.remove();
    const { tools } = await connected.listTools();
    expect(tools).toHaveLength(4);
    expect(connected.getServerVersion()).toMatchObject({ name: 'mailroom' });
    const late = connected.callTool({ name: 'report_progress', arguments: { text: 'late' } });
    await expect(late).rejects.toThrow(/closed/i);
  });

  it('are none in half a turn', async () => {
    project = new CliProject({ 'protocols/team.yaml': team, 'mailroom.yaml': '' }, {});
    const half = await project.run(['mcp'], { MAILROOM_TURN: 't1' });
    expect(half).toMatchObject({ code: 2, stderr: expect.stringContaining('E_USAGE') });
  });
});
