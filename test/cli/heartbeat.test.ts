import { expect, it } from 'vitest';
import { heartbeatOf, startHeartbeat } from '../../src/cli/heartbeat.ts';
import type { Context } from '../../src/cli/context.ts';
import { follow, type FollowOptions } from '../../src/cli/run-follow.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import type { RunController } from '../../src/project/definition/contracts.ts';
import { compile } from '../../src/workflow/machine/rules.ts';
import { emptyRunState } from '../../src/workflow/machine/state.ts';
import { nowhere } from '../support/nowhere.ts';
import { StepOutput } from '../../src/cli/run-follow.ts';
import { FakeTerminal } from './fake-terminal.ts';

it('is a minute where CI is set, what the option says, and otherwise none', () => {
  expect([undefined, '', 'false', 'true', '1'].map((ci) => heartbeatOf(undefined, ci))).toEqual([
    null,
    null,
    null,
    60_000,
    60_000,
  ]);
  expect([heartbeatOf('30s', undefined), heartbeatOf('off', 'true')]).toEqual([30_000, null]);
  for (const wrong of ['5', '0s', 'often', ''])
    expect(() => heartbeatOf(wrong, undefined)).toThrow(
      `\`--heartbeat\` must be a duration such as 30s or 5m, or off, not \`${wrong}\``,
    );
});

it('says what has been in progress for half of its interval, and nothing where there is nothing', () => {
  const terminal = new FakeTerminal(() => 0);
  const said: string[] = [];
  let running: string[] = [];
  const asked: number[] = [];
  const forget = startHeartbeat(
    terminal,
    60_000,
    (text) => void said.push(text),
    (least) => {
      asked.push(least);
      return running;
    },
  );
  terminal.tick();
  expect(said).toEqual([]);
  running = ['build 3m', 'test 1m'];
  terminal.tick();
  expect([said, asked]).toEqual([['still running: build 3m; test 1m'], [30_000, 30_000]]);
  forget();
  terminal.tick();
  expect(said).toHaveLength(1);
  startHeartbeat(
    terminal,
    null,
    (text) => void said.push(text),
    () => running,
  );
  terminal.tick();
  expect(said).toHaveLength(1);
});

it('is begun by `run` with what the environment or the option says', async () => {
  const checked = parseWorkflow(
    `name: w\nversion: '1'\ntimeout: 5m\nsteps:\n  one: { command: [echo] }\n`,
    'w.yaml',
    nowhere,
  );
  if (!checked.ok) throw new Error('the workflow is wrong');
  const controller = {
    run: 'r1',
    state: { ...emptyRunState(), status: 'SUCCEEDED' },
    rules: compile(checked.value),
    notes: [],
    problems: () => [],
    unsent: () => null,
    unreported: () => null,
    follow: () => Promise.resolve(),
  } as unknown as RunController;
  const intervals = async (environment: Record<string, string>, options: FollowOptions) => {
    const terminal = new FakeTerminal(() => 0);
    const found: number[] = [];
    terminal.every = (milliseconds) => {
      found.push(milliseconds);
      return () => {};
    };
    const call = { environment };
    const context = { call, terminal, commandLine: (words: string) => words } as unknown as Context;
    expect(await follow(context, options, () => Promise.resolve(controller))).toBe(0);
    return found;
  };
  expect(await intervals({}, {})).toEqual([]);
  expect(await intervals({ CI: 'true' }, {})).toEqual([60_000]);
  expect(await intervals({ CI: 'true' }, { heartbeat: 'off' })).toEqual([]);
  expect(await intervals({}, { heartbeat: '30s' })).toEqual([30_000]);
});

it('gives the output of steps as it comes, in whole lines after their step', () => {
  const texts: Record<string, string> = { 'build/1.1/stdout': 'one\ntw', 'each/0/test/1.1/stdout': '' };
  const logs = () =>
    Object.entries(texts).map(([name, text]) => ({
      name,
      path: name.replace('/1.1/stdout', ''),
      read: (from: number) => ({ text: text.slice(from), end: text.length }),
    }));
  const all = new StepOutput(logs, null);
  const one = new StepOutput(logs, 'test');
  expect([all.read(false), one.read(false)]).toEqual([['build | one'], []]);
  texts['build/1.1/stdout'] += 'o\nthree';
  texts['each/0/test/1.1/stdout'] += 'ok\r\n\u001b[31mred';
  expect(all.read(false)).toEqual(['build | two', 'each/0/test | ok']);
  expect(all.read(true)).toEqual(['build | three', 'each/0/test | \ufffd[31mred']);
  expect([all.read(true), one.read(true)]).toEqual([[], ['each/0/test | ok', 'each/0/test | \ufffd[31mred']]);
});
