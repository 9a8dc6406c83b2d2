import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { TurnFixture } from '../../providers/turns.ts';
import type { Cli, Tool } from './clis.ts';
import { Model } from './model.ts';
import { Setting } from './players.ts';
import type { Capability } from '../../../src/kernel/capabilities.ts';

/** What an agent tries; each leaves a file when it may. */
const acts = ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run', 'outside'] as const;
type Act = (typeof acts)[number];

const manifest = JSON.stringify({ scripts: { test: `node -e "require('fs').writeFileSync('test', '')"` } });

/** Tries everything in one turn, and says what could be done. The sandbox is left out: the CLI alone says no. */
export async function attempt(cli: Cli, capabilities: readonly Capability[]): Promise<Act[]> {
  const place = new TurnFixture(onTestFinished);
  const model = await Model.start();
  writeFileSync(join(place.project, 'package.json'), manifest);
  const setting = new Setting(cli, place, model);
  const turn = setting.turn(capabilities);
  const paths: Record<Act, string> = {
    mail: join(turn.paths.outbox, 'mail.md'),
    edit: join(place.project, 'edit'),
    test: join(place.project, 'test'),
    chain: join(place.project, 'chain'),
    redirect: join(place.project, 'redirect'),
    file: join(place.project, 'file'),
    run: join(place.project, 'run'),
    outside: join(place.root, 'outside'),
  };
  const tools: Record<Act, Tool> = {
    mail: cli.write(paths.mail, 'x'),
    edit: cli.write(paths.edit, 'x'),
    test: cli.shell('npm test'),
    chain: cli.shell('npm test && touch chain'),
    redirect: cli.shell('npm test > redirect'),
    file: cli.shell('touch file'),
    run: cli.shell(`node -e "require('fs').writeFileSync('run', '')"`),
    outside: cli.write(paths.outside, 'x'),
  };
  model.plays(({ results }) => {
    const act = acts[results.length];
    return act === undefined ? { say: 'Done.' } : { say: act, tools: [tools[act]] };
  });
  const { outcome, exit } = await setting.run(turn);
  await model.stop();
  expect({ ...outcome, stderr: exit.stderr }).toMatchObject({ is: 'done', text: 'Done.' });
  return acts.filter((act) => existsSync(paths[act]));
}

/** Runs commands that only look, one after the other; `results`: what the model was given for them. */
export async function looks(cli: Cli, capabilities: readonly Capability[], commands: readonly string[]) {
  const place = new TurnFixture(onTestFinished);
  const model = await Model.start();
  writeFileSync(join(place.project, 'package.json'), manifest);
  const setting = new Setting(cli, place, model);
  model.plays(({ results }) => {
    const command = commands[results.length];
    return command === undefined ? { say: 'Done.' } : { say: command, tools: [cli.shell(command)] };
  });
  const { outcome } = await setting.run(setting.turn(capabilities));
  await model.stop();
  return {
    results: model.asked.at(-1)?.results ?? [],
    denials: outcome.is === 'done' ? outcome.denials : [],
  };
}

/** Rights, and all that can be done with them. */
export type Row = readonly [readonly Capability[], readonly Act[]];
