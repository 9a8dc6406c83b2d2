import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { verdict } from '../providers/samples.ts';
import { TurnFixture, type Ends, type Ran } from '../providers/turns.ts';
import { codex, opencode, type Cli } from './support/clis.ts';
import { Model, type Answer } from './support/model.ts';
import { Setting } from './support/players.ts';

/** Runs a turn whose model gives this answer, as often as it is asked. */
async function answered(
  cli: Cli,
  answer: Answer,
  ends: Ends = {},
  given = (url: string) => cli.arguments(url),
): Promise<Ran & { readonly asked: number }> {
  const model = await Model.start();
  onTestFinished(() => model.stop());
  model.says(answer);
  const setting = new Setting(cli, new TurnFixture(onTestFinished), model, given(model.url));
  return { ...(await setting.run(setting.turn(['READ']), ends)), asked: model.asked.length };
}

/** The arguments that the page of codex shows, led to the model. */
function shown(url: string): string[] {
  const page = readFileSync(new URL('../../docs/providers/codex.md', import.meta.url), 'utf8');
  const [, settings = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  const { providers } = parse(settings) as { providers: { codex: { arguments: string[] } } };
  return providers.codex.arguments.map((each) => each.replace('name=', `base_url="${url}/v1",name=`));
}

it('codex asks a failing model once with the arguments that its page shows', async () => {
  const ran = await answered(codex, { status: 500, words: 'The model says no.' }, {}, shown);
  expect({ verdict: verdict(ran.outcome), asked: ran.asked }).toEqual({
    verdict: 'later transient E_PROVIDER',
    asked: 1,
  });
});

it('opencode does not ask again what was wrong', async () => {
  const ran = await answered(opencode, { status: 400, words: 'The model says no.' });
  expect({ verdict: verdict(ran.outcome), asked: ran.asked }).toEqual({
    verdict: 'never E_PROVIDER',
    asked: 1,
  });
});

it('opencode waits without a word for a limit to end, and is ended by our limit of silence', async () => {
  const limit: Answer = { status: 429, words: 'Too many requests.', retryAfter: 600 };
  const ran = await answered(opencode, limit, { idleMs: 12_000 });
  expect({ verdict: verdict(ran.outcome), left: ran.left }).toEqual({
    verdict: 'later transient E_TIMEOUT',
    left: [],
  });
  expect(ran.asked).toBeLessThanOrEqual(1);
});
