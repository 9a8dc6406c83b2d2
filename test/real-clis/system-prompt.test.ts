import { expect, it } from 'vitest';
import { claude, gemini, opencode, pi, type Cli } from './support/clis.ts';
import { gather } from './support/team.ts';

const protocol = ({ name, model }: Cli) => `
name: lone
version: "1"
roles:
  worker: { provider: ${name}, model: ${model}, capabilities: [READ], retries: 0 }
messages:
  task: { from: user, to: worker }
  done: { from: worker, to: user, closes: true }
start: { type: task, to: worker }
`;

/** What the model is given in the first request of a turn. */
async function given(cli: Cli, changes: { readonly systemPrompt?: 'short' }): Promise<string> {
  const { project, model, env } = await gather([{ ...cli, ...changes }], {
    'protocols/lone.yaml': protocol(cli),
  });
  model.plays(() => ({ say: 'type: done\n\nDone.' }));
  project.drop('agents/worker/inbox/task.md', 'Do it.\n');
  expect(await project.run(['up', '--until-idle', '--plain'], env)).toMatchObject({ code: 0, stderr: '' });
  expect(project.list('agents/user/inbox')).toHaveLength(1);
  return model.asked.find(({ prompt }) => prompt.includes('Do it.'))?.conversation ?? '';
}

it.each([claude, gemini, opencode, pi])(
  'of $name is short where the provider says so, and the work is delivered',
  async (cli) => {
    const [own, short] = [await given(cli, {}), await given(cli, { systemPrompt: 'short' })];
    expect(own).not.toContain('You are a careful software engineer');
    expect(short).toContain('You are a careful software engineer');
    expect(short.length).toBeLessThan(own.length - 1_000);
  },
);
