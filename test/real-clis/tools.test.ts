import { expect, it } from 'vitest';
import { probeContainment } from '../../src/process/containment.ts';
import { clis } from './support/clis.ts';
import type { Answer, Asked } from './support/model.ts';
import { gather } from './support/team.ts';

const { bubblewrap } = await probeContainment();

/** Two roles that may write no file but their mail, so that what they say comes by the tools. */
const protocol = (provider: string, model: string) => `
name: two
version: "1"
roles:
  maker: { provider: ${provider}, model: ${model}, capabilities: [READ], retries: 0 }
  checker: { provider: ${provider}, model: ${model}, capabilities: [READ], retries: 0 }
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

it.each(clis)('gives $name tools to ask, to answer and to send', async (cli) => {
  const settings = { sandbox: bubblewrap.works ? 'required' : 'auto' };
  const { project, model, env } = await gather(
    [cli],
    { 'protocols/two.yaml': protocol(cli.name, cli.model) },
    settings,
  );
  const heard: string[] = [];
  model.plays(({ prompt, results }: Asked): Answer => {
    heard.push(...results);
    const [name, given] = use(prompt);
    if (results.length > 0) return { say: 'I stop.' };
    return { say: 'I tell them.', tools: [{ name: cli.served(name), arguments: given }] };
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

/** What a role calls in its turn, by what it was given. */
function use(prompt: string): [string, Readonly<Record<string, unknown>>] {
  if (prompt.includes('You are **checker**'))
    return ['send_message', { to: 'maker', body: 'Yes.', fields: { good: true } }];
  return prompt.includes('type: answer')
    ? ['send_message', { to: 'user', body: 'It is made.' }]
    : ['ask', { to: 'checker', question: 'Is it good?' }];
}
