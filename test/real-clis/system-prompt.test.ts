import { expect, it } from 'vitest';
import { provedTokens } from '../../src/providers/overhead.ts';
import { claude, codex, gemini, opencode, pi, type Cli } from './support/clis.ts';
import { gather } from './support/team.ts';

const protocol = ({ name, model }: Cli) => `
name: lone
version: "1"
roles:
  worker: { provider: ${name}, model: ${model}, capabilities: [READ, EDIT, RUN_TESTS], retries: 0 }
messages:
  task: { from: user, to: worker }
  done: { from: worker, to: user, closes: true }
start: { type: task, to: worker }
`;

/** What the model is given in the first request of a turn, and the tokens of it besides the prompt. */
async function given(
  cli: Cli,
  changes: { readonly systemPrompt?: 'short' },
): Promise<{ words: string; tokens: number }> {
  const { project, model, env } = await gather([{ ...cli, ...changes }], {
    'protocols/lone.yaml': protocol(cli),
  });
  model.plays(() => ({ say: 'type: done\n\nDone.' }));
  project.drop('agents/worker/inbox/task.md', 'Do it.\n');
  expect(await project.run(['up', '--until-idle', '--plain'], env)).toMatchObject({ code: 0, stderr: '' });
  expect(project.list('agents/user/inbox')).toHaveLength(1);
  const words = model.asked.find(({ prompt }) => prompt.includes('Do it.'))?.conversation ?? '';
  const prompt = project.read('.mailroom/turns/t1/1/prompt.md');
  return { words, tokens: (Math.max(...model.sizes) - Buffer.byteLength(prompt)) / 4 };
}

/** The figure of docs/providers.md may be off by a tenth. */
function expectAbout(tokens: number, proved: number | null | undefined): void {
  expect(Math.abs(tokens - (proved ?? 0)), `${String(tokens)} tokens`).toBeLessThan(tokens / 10);
}

it.each([claude, gemini, opencode, pi])(
  'of $name is short where the provider says so, and the work is delivered',
  async (cli) => {
    const [own, short] = [await given(cli, {}), await given(cli, { systemPrompt: 'short' })];
    expect(own.words).not.toContain('You are a careful software engineer');
    expect(short.words).toContain('You are a careful software engineer');
    expectAbout(own.tokens, provedTokens[cli.name]?.own);
    expectAbout(short.tokens, provedTokens[cli.name]?.short);
  },
);

it('of codex has the proved size, with its tools', async () => {
  expectAbout((await given(codex, {})).tokens, provedTokens.codex?.own);
});
