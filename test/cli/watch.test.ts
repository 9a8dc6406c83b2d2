import { expect, it } from 'vitest';
import { watch } from '../../src/cli/actions/watch.ts';
import type { Context } from '../../src/cli/context.ts';
import type { RunController } from '../../src/cli/run-services.ts';
import { compile } from '../../src/core/workflow/rules.ts';
import { emptyRunState } from '../../src/core/workflow/state.ts';
import { parseWorkflow } from '../../src/spec/workflow/index.ts';
import { nowhere } from '../../src/spec/workflow/surroundings.ts';
import { FakeTerminal } from './bench.ts';

const good = `name: w\nversion: '1'\ntimeout: 5m\nsteps:\n  one: { command: [echo] }\n`;
const broken = good.replace('command', 'comand');

/** Watches a workflow whose runs all succeed, and whose file is saved so often; then comes Ctrl-C. */
async function watched(...texts: readonly string[]): Promise<{ code: number; terminal: FakeTerminal }> {
  const terminal = new FakeTerminal(() => 0);
  terminal.every = (_milliseconds, act) => {
    queueMicrotask(act);
    return () => {};
  };
  const saved = [...texts];
  const read = () => {
    const checked = parseWorkflow(saved[0] ?? good, 'w.yaml', nowhere);
    return Promise.resolve({ file: '/project/w.yaml', path: 'w.yaml', text: '', checked });
  };
  const begin = ({ definition }: { definition: Parameters<typeof compile>[0] }) => {
    const state = { ...emptyRunState(), status: 'SUCCEEDED' };
    const follow = () => Promise.resolve();
    const controller = {
      run: 'r1',
      state,
      rules: compile(definition),
      notes: [],
      problems: () => [],
      unsent: () => 0,
      follow,
    };
    return Promise.resolve(controller as unknown as RunController);
  };
  const change = () => {
    saved.shift();
    if (saved.length > 0) return { path: 'w.yaml', what: 'changed' };
    terminal.signal();
    return null;
  };
  const context = {
    services: { cwd: '/project', workflowFile: () => null },
    terminal,
    outsideTurn: () => {},
    announce: () => {},
    enter: () => {},
    commandLine: (words: string) => words,
    root: () => '/project',
    place: () => ({ root: '/project', workflows: { read, begin, watchFiles: () => change } }),
  } as unknown as Context;
  return { code: await watch(context, 'w.yaml', { plain: true }), terminal };
}

it('a definition that is broken while it is watched is told of, and runs again once it is mended', async () => {
  const mended = await watched(good, broken, good);
  expect(mended.terminal.err).toContain('w.yaml:5:10: error E_UNKNOWN_KEY: `comand` is not a key of a step');
  expect(mended.terminal.out.split('SUCCEEDED')).toHaveLength(3);
  expect(mended.code).toBe(0);
  expect((await watched(good, broken)).code).toBe(2);
});

it('what is broken from the beginning is not watched', async () => {
  await expect(watched(broken, good)).rejects.toThrow('`comand` is not a key of a step');
});
