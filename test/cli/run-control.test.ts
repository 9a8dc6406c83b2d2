import { expect, it } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { retryStep } from '../../src/cli/actions/retry.ts';
import { askRun } from '../../src/cli/run-control.ts';
import type { StoredRun } from '../../src/project/definition/contracts.ts';
import type { RunControlFile } from '../../src/workflow/host/commands.ts';
import { graph, workflow } from '../workflow/machine/graph.ts';
import { World } from '../workflow/machine/world.ts';
import { FakeTerminal } from './fake-terminal.ts';

const call = { environment: { MAILROOM_USER: 'ada' } };

/** What `retry` of a failed step says while a host works on its run, which gives this verdict. */
async function retried(verdict: string | null): Promise<{ out: string; asked: RunControlFile[] }> {
  const definition = workflow(graph('soft : continue\nlate'));
  const world = new World(definition);
  world.fails('soft');
  const terminal = new FakeTerminal(() => 0);
  const asked: RunControlFile[] = [];
  const workflows = {
    request: (_run: string, file: RunControlFile) => void asked.push(file),
    verdict: () => ({ refusal: verdict }),
    changed: () => Promise.resolve(),
  };
  const place = { workflows, newId: () => 'one' };
  const context = {
    call: { environment: { MAILROOM_USER: 'ada' } },
    terminal,
    outsideTurn: () => {},
    announce: () => {},
    place: () => place,
  } as unknown as Context;
  const alive = () => Promise.resolve(true);
  const run = { run: 'r1', definition, state: () => world.state, alive } as unknown as StoredRun;
  await retryStep(context, run, 'soft', { json: true });
  return { out: terminal.out, asked };
}

it('a retry of a run that continues is answered with the verdict of its host, as a document', async () => {
  const { out, asked } = await retried(null);
  const shown = { schema: 1, state: 'done', verb: 'retry', run: 'r1', path: 'soft', host: true };
  expect(JSON.parse(out)).toEqual(shown);
  expect(asked).toMatchObject([{ verb: 'retry', path: 'soft', instructions: null }]);
  await expect(retried('soft has not failed')).rejects.toThrow('retry r1 soft: soft has not failed');
});

/** What `cancel` says of a run whose host ends, with this verdict or without one, before it could be asked. */
async function cancelled(
  verdict: { refusal: string | null } | undefined,
  withdraw: (run: string, id: string) => void = () => {},
): Promise<string> {
  const definition = workflow(graph('only'));
  const world = new World(definition);
  const terminal = new FakeTerminal(() => 0);
  let lives = true;
  const end = () => {
    lives = false;
    world.done('only');
  };
  const workflows = { request: end, withdraw, verdict: () => verdict, changed: () => Promise.resolve() };
  const place = { workflows, newId: () => 'one' };
  const context = {
    call,
    terminal,
    outsideTurn: () => {},
    announce: () => {},
    place: () => place,
  } as unknown as Context;
  const alive = () => Promise.resolve(lives);
  const run = { run: 'r1', definition, state: () => world.state, alive } as unknown as StoredRun;
  await askRun(context, run, { verb: 'cancel', path: '' }, {});
  return terminal.out;
}

it('what a run is told while its host ends gets the verdict of that host, else that of the run', async () => {
  expect(await cancelled({ refusal: null })).toBe('cancel r1: done\n');
  const taken: string[][] = [];
  const withdrawn = cancelled(undefined, (...command) => void taken.push(command));
  await expect(withdrawn).rejects.toThrow('the run is over: SUCCEEDED');
  expect(taken).toEqual([['r1', 'one']]);
});

it.each([
  ['reject', 'approve', 'ann', 'E_REFUSED'],
  ['approve', 'reject', 'ann', 'E_REFUSED'],
  ['approve', 'approve', 'bob', 'E_REFUSED'],
  ['approve', 'approve', 'ann', null],
] as const)(
  'a %s after the %s of a gate by %s, which waits for a host: %s',
  async (verb, first, by, code) => {
    const definition = workflow(graph('g : gate=1h\nh : gate=1h'));
    const world = new World(definition);
    const waiting = { id: 'a', verb: first, path: code === null ? 'h' : 'g', by, choice: null };
    const asked: RunControlFile[] = [];
    const workflows = {
      pending: () => [waiting, ...asked],
      request: (_run: string, file: RunControlFile) => void asked.push(file),
      verdict: () => undefined,
      changed: () => Promise.resolve(),
    };
    const context = {
      call,
      terminal: new FakeTerminal(() => world.now),
      outsideTurn: () => {},
      announce: () => {},
      place: () => ({ workflows, newId: () => 'one' }),
    } as unknown as Context;
    const alive = () => Promise.resolve(false);
    const run = { run: 'r1', definition, state: () => world.state, alive } as unknown as StoredRun;
    const answered = askRun(context, run, { verb, path: 'g' }, {});
    if (code === null) await expect(answered).resolves.toBe(0);
    else
      await expect(answered).rejects.toMatchObject({
        code,
        message: expect.stringContaining(`${by} has said`),
      });
    expect(asked).toHaveLength(code === null ? 1 : 0);
  },
);
