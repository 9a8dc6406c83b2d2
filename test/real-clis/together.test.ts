import { expect, it, onTestFinished } from 'vitest';
import { letter } from '../providers/provider-contract.ts';
import { TurnFixture } from '../providers/turns.ts';
import { claude, codex, gemini } from './support/clis.ts';
import { Model } from './support/model.ts';
import { Setting } from './support/players.ts';

it.each([claude, codex, gemini])('turns of $name may run at once on one home folder', async (cli) => {
  const model = await Model.start();
  onTestFinished(() => model.stop());
  const setting = new Setting(cli, new TurnFixture(onTestFinished), model);
  const turns = ['first', 'second'].map((word) => ({
    ...setting.turn(['READ', 'EDIT']),
    prompt: `Write the ${word} letter.`,
  }));
  // Each asks for its mail by where it is to go.
  model.plays(({ conversation, results }) => {
    const turn = turns.find(({ prompt }) => conversation.includes(prompt));
    if (turn === undefined || results.length > 0) return { say: 'Done.' };
    return { say: 'I write.', tools: [cli.write(`${turn.paths.outbox}/answer.md`, letter)] };
  });
  const all = await Promise.all(turns.map((turn) => setting.run(turn)));
  for (const { outcome, staged } of all)
    expect({ ...outcome, staged }).toMatchObject({ is: 'done', staged: { 'answer.md': letter } });
});
