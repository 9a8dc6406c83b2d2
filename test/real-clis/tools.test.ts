import { expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { claude, codex, gemini, opencode, type Cli } from './support/clis.ts';
import type { Answer, Asked } from './support/model.ts';
import { gather } from './support/team.ts';

const { bubblewrap } = await probeContainment();

/** Two roles that may write no file but their mail, so that what they say comes by the tools. */
const protocol = (maker: Cli, checker: Cli) => `
name: two
version: "1"
roles:
  maker: { provider: ${maker.name}, model: ${maker.model}, capabilities: [READ], retries: 0 }
  checker: { provider: ${checker.name}, model: ${checker.model}, capabilities: [READ], retries: 0 }
messages:
  task: { from: user, to: maker }
  question: { from: maker, to: checker, reply: [answer], blocking: true }
  answer: { from: checker, to: maker, fields: { good: { type: boolean, required: true } } }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

interface Row {
  readonly type: string;
  readonly body: string;
}

it.each([
  { maker: claude, checker: codex },
  { maker: codex, checker: opencode },
  { maker: gemini, checker: claude },
])('gives $maker.name tools to ask and to send, and $checker.name to answer', async ({ maker, checker }) => {
  const settings = { mcp: 'on', sandbox: bubblewrap.works ? 'required' : 'auto' };
  const files = { 'protocols/two.yaml': protocol(maker, checker) };
  const { project, model, env } = await gather([maker, checker], files, settings);
  const heard: string[] = [];
  model.plays(({ prompt, results }: Asked): Answer => {
    heard.push(...results);
    const [name, given] = use(prompt);
    if (results.length > 0) return { say: 'I stop.' };
    const { served } = isChecker(prompt) ? checker : maker;
    return { say: 'I tell them.', tools: [{ name: served(name), arguments: given }] };
  });
  project.drop('agents/maker/inbox/task.md', 'Make it.\n');

  expect(await project.run(['up', '--until-idle', '--plain'], env)).toMatchObject({ code: 0, stderr: '' });
  const rows = JSON.parse((await project.run(['trail', '--json'], env)).stdout) as Row[];
  expect({ rows: rows.map(({ type, body }) => [type, body.trim()]), heard }).toEqual({
    rows: [
      ['task', 'Make it.'],
      ['question', 'Is it good?'],
      ['answer', 'Yes.'],
      ['done', 'It is made.'],
    ],
    heard: [
      expect.stringContaining('End your turn now'),
      expect.stringContaining('Staged'),
      expect.stringContaining('Staged'),
    ],
  });
});

function isChecker(prompt: string): boolean {
  return prompt.includes('You are **checker**');
}

/** What a role calls in its turn, by what it was given. */
function use(prompt: string): [string, Readonly<Record<string, unknown>>] {
  if (isChecker(prompt)) return ['send_message', { to: 'maker', body: 'Yes.', fields: { good: true } }];
  return prompt.includes('type: answer')
    ? ['send_message', { to: 'user', body: 'It is made.' }]
    : ['ask', { to: 'checker', question: 'Is it good?' }];
}
