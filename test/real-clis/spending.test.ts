import { expect, it, onTestFinished } from 'vitest';
import { TurnFixture } from '../providers/turns.ts';
import { claude, codex, gemini, pi } from './support/clis.ts';
import { Model } from './support/model.ts';
import { Setting } from './support/players.ts';

// What budgets in the middle of a turn rest on: where it changes, src/providers/ can do more than docs/providers/ says.
it.each([
  { cli: claude, early: true },
  { cli: codex, early: false },
  { cli: gemini, early: false },
  // Its last event only says that nothing follows.
  { cli: pi, early: true, last: false },
])('$cli.name tells what it uses before its end: $early', async ({ cli, early, last = true }) => {
  const model = await Model.start();
  onTestFinished(() => model.stop());
  const setting = new Setting(cli, new TurnFixture(onTestFinished), model);
  const turn = setting.turn(['READ', 'EDIT']);
  const mail = cli.write(`${turn.paths.outbox}/mail.md`, 'x');
  model.says({ say: 'I write.', tools: [mail] }, { say: 'Done.' });
  const { exit } = await setting.run(turn);
  const lines = exit.stdout.trim().split('\n');
  const telling = lines.map((line) => /"(?:usage|stats|tokens)":\{/.test(line));
  expect({ early: telling.slice(0, -1).some(Boolean), last: telling.at(-1) }).toEqual({ early, last });
});
