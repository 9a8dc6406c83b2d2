import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Capability } from '../../src/core/mail/protocol.ts';
import { Workplace } from '../contract/turns.ts';
import { claude, codex, gemini, opencode, type Cli, type Tool } from './support/clis.ts';
import { Model } from './support/model.ts';
import { Setting } from './support/players.ts';

/** What an agent tries; each leaves a file when it may. */
const acts = ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run', 'outside'] as const;
type Act = (typeof acts)[number];

const manifest = JSON.stringify({ scripts: { test: `node -e "require('fs').writeFileSync('test', '')"` } });

/** Tries everything in one turn, and says what could be done. The sandbox is left out: the CLI alone says no. */
async function attempt(cli: Cli, capabilities: readonly Capability[]): Promise<Act[]> {
  const place = new Workplace(onTestFinished);
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

type Row = readonly [readonly Capability[], readonly Act[]];

const exact: readonly Row[] = [
  [['READ'], ['mail']],
  [
    ['READ', 'EDIT'],
    ['mail', 'edit'],
  ],
  [
    ['READ', 'RUN_TESTS'],
    ['mail', 'test'],
  ],
  [
    ['READ', 'EDIT', 'RUN_TESTS'],
    ['mail', 'edit', 'test', 'redirect'],
  ],
];

describe.each([claude, gemini])('$name', (cli) => {
  it.each(exact)('with %j does %j and nothing else', async (capabilities, done) => {
    expect(await attempt(cli, capabilities)).toEqual(done);
  });

  it('runs any command with RUN_COMMANDS, and its tools do not write outside', async () => {
    const done = await attempt(cli, ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS']);
    expect(done).toEqual(['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run']);
  });
});

describe('codex', () => {
  it.each<Row>([
    [['READ'], []],
    // It has a shell or nothing: what it widens is said by `mailroom check`.
    [
      ['READ', 'EDIT'],
      ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run'],
    ],
    [
      ['READ', 'RUN_TESTS'],
      ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run'],
    ],
    [
      ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'],
      ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run'],
    ],
  ])('with %j does %j and nothing else', async (capabilities, done) => {
    expect(await attempt(codex, capabilities)).toEqual(done);
  });
});

// Each start of it takes many seconds, so that it has no row in which nothing is denied or allowed that no other row shows.
describe('opencode', () => {
  it.each<Row>([
    [['READ'], ['mail']],
    [
      ['READ', 'EDIT', 'RUN_TESTS'],
      ['mail', 'edit', 'test', 'redirect'],
    ],
    // What its shell may do outside it lets its tools do, too.
    [
      ['READ', 'RUN_COMMANDS'],
      ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run', 'outside'],
    ],
  ])('with %j does %j and nothing else', async (capabilities, done) => {
    expect(await attempt(opencode, capabilities)).toEqual(done);
  });
});
