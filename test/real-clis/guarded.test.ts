import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TurnFixture } from '../providers/turns.ts';
import { clis, gemini, type Cli } from './support/clis.ts';
import { Model } from './support/model.ts';
import { Setting } from './support/players.ts';

/** What configures agents in a workspace. */
const settings = [
  '.claude/settings.json',
  '.codex/config.toml',
  '.gemini/settings.json',
  '.opencode/plugin/x.js',
  '.pi/settings.json',
  '.mcp.json',
  'opencode.json',
  '.env',
];

/** What an agent that may edit writes of these without a sandbox: its own program's rules hold alone. */
async function written(cli: Cli, mayConfigure: boolean): Promise<string[]> {
  const place = new TurnFixture(onTestFinished);
  const model = await Model.start();
  onTestFinished(() => model.stop());
  const setting = new Setting(cli, place, model);
  const paths = [...settings, 'src/plain.txt'];
  const tools = paths.map((path) => cli.write(join(place.project, path), '{}\n'));
  model.plays(({ results }) => {
    const tool = tools[results.length];
    return tool === undefined ? { say: 'Done.' } : { say: 'I write.', tools: [tool] };
  });
  const turn = setting.turn(['READ', 'EDIT']);
  const { outcome, exit } = await setting.run({ ...turn, ...(mayConfigure && { mayConfigure }) });
  expect({ ...outcome, stderr: exit.stderr }).toMatchObject({ is: 'done', text: 'Done.' });
  return paths.filter((path) => existsSync(join(place.project, path)));
}

/** What a CLI keeps itself from whatever its rules allow. */
const own: Readonly<Record<string, readonly string[]>> = {
  claude: ['.claude/settings.json', '.mcp.json'],
  gemini: ['.env'],
};

describe.each(clis)('without a sandbox $name', (cli) => {
  it('writes of what configures agents only what its rules cannot keep from it', async () => {
    // Codex has a shell, and its own sandbox holds its own folder alone.
    const held = cli.name === 'codex' ? ['.codex/config.toml'] : settings;
    const left = settings.filter((path) => !held.includes(path));
    expect(await written(cli, false)).toEqual([...left, 'src/plain.txt']);
  });
});

it.each(clis.filter(({ name }) => name !== 'codex'))(
  'without a sandbox $name writes all of it where its role may',
  async (cli) => {
    const all = settings.filter((path) => !(own[cli.name] ?? []).includes(path));
    expect(await written(cli, true)).toEqual([...all, 'src/plain.txt']);
  },
);

it('gemini writes what it owes, and below it, without the right to edit', async () => {
  const place = new TurnFixture(onTestFinished);
  const model = await Model.start();
  onTestFinished(() => model.stop());
  const setting = new Setting(gemini, place, model);
  const paths = ['plan.md', 'out/a/b.txt', 'other.md'];
  const tools = paths.map((path) => gemini.write(join(place.project, path), 'x'));
  model.plays(({ results }) => {
    const tool = tools[results.length];
    return tool === undefined ? { say: 'Done.' } : { say: 'I write.', tools: [tool] };
  });
  const owed = ['plan.md', 'out'].map((path) => join(place.project, path));
  const { outcome } = await setting.run({ ...setting.turn(['READ']), owed });
  expect(outcome).toMatchObject({ is: 'done', text: 'Done.' });
  expect(paths.filter((path) => place.has(path))).toEqual(['plan.md', 'out/a/b.txt']);
});
