import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { acpAgents } from '../../src/config/config.ts';
import { presetFor } from '../../src/providers/acp-presets.ts';
import { TestProject } from '../support/project.ts';

const agent = fileURLToPath(new URL('../fixtures/agents/acp.mjs', import.meta.url));

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

const settings =
  'trail: off\nsandbox: off\nproviders: { fake: { kind: acp, command: [./agent.mjs] } }\nagents: { critic: { provider: fake, capabilities: [READ] } }\n';

const team = `
name: one
version: "1"
roles:
  reviewer: { provider: fake, capabilities: [READ] }
messages:
  task: { from: user, to: reviewer }
  done: { from: reviewer, to: user, closes: true }
start: { type: task, to: reviewer }
`;

const workflow = `name: sample
version: "1"
timeout: 5m
steps:
  review: { agent: critic, instructions: Review it. }
`;

/** A project with a program that speaks the Agent Client Protocol and plays this; null: without it. */
function projectWith(play: unknown, files: Readonly<Record<string, string>>): TestProject {
  const project = new TestProject({ 'mailroom.yaml': settings, ...files });
  projects.push(project);
  if (play !== null) install(project, 'agent.mjs', play);
  return project;
}

function install(project: TestProject, name: string, play: unknown): void {
  const program = [
    '#!/usr/bin/env node',
    `process.env.MAILROOM_PLAY = ${JSON.stringify(JSON.stringify(play))};`,
    `await import(${JSON.stringify(agent)});`,
  ];
  project.write(name, `${program.join('\n')}\n`);
  chmodSync(join(project.root, name), 0o755);
}

const done = '---\ntype: done\nto: user\n---\nIt is good.';
const usage = { sessionUpdate: 'usage_update', used: 10, size: 100 };

describe('a recording of an agent that speaks the Agent Client Protocol', () => {
  it('answers its turn of the mail without the agent', async () => {
    const files = { 'protocols/one.yaml': team };
    const live = projectWith({ prompts: [[{ say: done }, { update: usage }]] }, files);
    const recording = join(live.root, 'recording');
    live.drop('agents/reviewer/inbox/task.md', 'Review it.\n');
    const first = await live.run(['up', '--until-idle', '--plain', '--record', recording]);
    expect(first).toMatchObject({ code: 0 });
    expect(live.list('recording')).toHaveLength(1);

    const again = projectWith(null, files);
    again.drop('agents/reviewer/inbox/task.md', 'Review it.\n');
    const second = await again.run(['up', '--until-idle', '--plain', '--replay', recording]);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await again.run(['inbox', '--json']);
    expect(stdout).toContain('It is good.');
  });

  it('answers its step of a workflow without the agent', async () => {
    const files = { 'work.yaml': workflow };
    const live = projectWith({ prompts: [[{ say: 'It is good.' }]] }, files);
    const recording = join(live.root, 'recording');
    const first = await live.run(['run', 'work.yaml', '--json', '--record', recording]);
    expect(JSON.parse(first.stdout)).toMatchObject({ status: 'SUCCEEDED' });

    const again = projectWith(null, files);
    const second = await again.run(['run', 'work.yaml', '--json', '--replay', recording]);
    expect(JSON.parse(second.stdout)).toMatchObject({ status: 'SUCCEEDED' });
  });
});

/** A program that speaks this version of the protocol, alone: a sandbox hides its library. */
const alone = (version: number) => `#!/usr/bin/env node
if (process.argv.includes('--version')) { console.log('9.9.9'); process.exit(0); }
const write = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'ready' } };
const answers = {
  initialize: { protocolVersion: ${String(version)}, agentCapabilities: {}, agentInfo: { name: 'x', version: '1.0.0' } },
  'session/new': { sessionId: 's' },
  'session/prompt': { stopReason: 'end_turn' },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'session/prompt') write({ method: 'session/update', params: { sessionId: 's', update } });
  if (id !== undefined) write({ id, result: answers[method] ?? {} });
});
`;

interface Found {
  readonly findings: readonly { readonly topic: string; readonly state: string; readonly text: string }[];
}

async function doctor(project: TestProject, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { stdout } = await project.run(['doctor', '--json', ...args], env);
  const { findings } = JSON.parse(stdout) as Found;
  return (topic: string) =>
    findings.filter((each) => each.topic === topic).map(({ state, text }) => `${state} ${text}`);
}

describe('doctor', () => {
  it('lets an agent that speaks the protocol answer once', async () => {
    const project = projectWith(null, {});
    const [program, other] = [1, 2].map((version) => {
      const path = join(project.root, `version-${String(version)}.cjs`);
      writeFileSync(path, alone(version), { mode: 0o755 });
      return path;
    });
    const found = await doctor(project, ['--probe'], {
      MAILROOM_COPILOT_BIN: program ?? '',
      MAILROOM_QWEN_BIN: other ?? '',
    });
    expect(found('copilot')[0]).toMatch(/^ok 9\.9\.9, .*; driven by the Agent Client Protocol; proved with /);
    expect(found('copilot').at(-1)).toMatch(/^ok answers, in \d+\.\d s/);
    expect(found('qwen').at(-1)).toMatch(
      /^problem does not answer: qwen speaks version 2 of the Agent Client Protocol, and Mailroom speaks version 1/,
    );
  });

  it('says of every agent that is known by name, and not installed, how to get it', async () => {
    const roles = acpAgents.map((name) => `  r-${name}: { provider: ${name}, capabilities: [READ] }`);
    const all = acpAgents.map((name) => `r-${name}`).join(', ');
    const protocol = `name: all\nversion: "1"\nroles:\n${roles.join('\n')}\nmessages:\n  task: { from: user, to: [${all}] }\n  done: { from: [${all}], to: user, closes: true }\n`;
    const project = projectWith(null, { 'protocols/all.yaml': protocol });
    const found = await doctor(project, [], { PATH: '/nowhere' });
    for (const name of acpAgents) {
      const { command, install: how } = presetFor(name, null) ?? { command: [''], install: '' };
      expect(found(name)).toEqual([
        `problem \`${command[0]}\` is not found (${how}), and it plays r-${name}`,
      ]);
    }
  });
});
