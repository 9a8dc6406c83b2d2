import { expect, it } from 'vitest';
import { watch } from '../../src/cli/actions/watch.ts';
import type { Context } from '../../src/cli/context.ts';
import type { RunController } from '../../src/project/definition/contracts.ts';
import { compile } from '../../src/workflow/machine/rules.ts';
import { emptyRunState } from '../../src/workflow/machine/state.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { nowhere } from '../support/nowhere.ts';
import { changedFiles } from '../../src/disk/file-times.ts';
import { FakeTerminal } from './fake-terminal.ts';

const good = `name: w\nversion: '1'\ntimeout: 5m\nsteps:\n  one: { command: [echo] }\n`;
const broken = good.replace('command', 'comand');

interface Saved {
  /** What the file of the workflow says from its first, second, … change on. */
  readonly texts: readonly string[];
  /** Files that change while the first, second, … run goes on; the last does so in all further ones. */
  readonly during?: readonly (readonly string[])[];
}

/** Watches a workflow whose runs all succeed; when nothing is left to change, Ctrl-C comes. */
async function watched({ texts, during = [[]] }: Saved): Promise<{
  code: number;
  terminal: FakeTerminal;
  runs: number;
}> {
  const terminal = new FakeTerminal(() => 0);
  const saved = [...texts];
  const files = new Map([['w.yaml', '0']]);
  let runs = 0;
  const save = (path: string) => files.set(path, `${files.get(path) ?? ''}+`);
  terminal.every = (_milliseconds, act) => {
    saved.shift();
    if (saved.length > 0) save('w.yaml');
    else terminal.signal();
    queueMicrotask(act);
    return () => {};
  };
  const read = () => {
    const checked = parseWorkflow(saved[0] ?? good, 'w.yaml', nowhere);
    return Promise.resolve({ file: '/project/w.yaml', path: 'w.yaml', text: '', checked });
  };
  const begin = ({ definition }: { definition: Parameters<typeof compile>[0] }) => {
    const state = { ...emptyRunState(), status: 'SUCCEEDED' };
    const follow = () => {
      for (const path of during[Math.min(runs, during.length - 1)] ?? []) save(path);
      runs += 1;
      return Promise.resolve();
    };
    const controller = {
      run: 'r1',
      state,
      rules: compile(definition),
      notes: [],
      problems: () => [],
      recoveries: () => [],
      unsent: () => null,
      unreported: () => null,
      follow,
    };
    return Promise.resolve(controller as unknown as RunController);
  };
  const watchFiles = () => {
    const before = new Map(files);
    return () => changedFiles(before, files);
  };
  const context = {
    call: { cwd: '/project', environment: {}, workflowFile: () => null },
    terminal,
    outsideTurn: () => {},
    announce: () => {},
    enter: () => {},
    commandLine: (words: string) => words,
    root: () => '/project',
    place: () => ({ root: '/project', workflows: { read, begin, watchFiles } }),
  } as unknown as Context;
  return { code: await watch(context, 'w.yaml', { plain: true }), terminal, runs };
}

it.each([
  ['a source', 'src.txt'],
  ['the workflow', 'w.yaml'],
])('%s that is edited while a run goes on starts another one after it', async (_, path) => {
  const { runs, terminal } = await watched({ texts: [good], during: [[path], []] });
  expect(runs).toBe(2);
  expect(terminal.err).toContain(`${path} was ${path === 'w.yaml' ? 'changed' : 'added'}\n`);
});

it('what a run is declared to write starts no other, and what each run writes starts one, once', async () => {
  const declared = good.replace(
    'command: [echo]',
    'command: [echo], outputs: [{ name: o, path: ./out/o.txt }]',
  );
  expect((await watched({ texts: [declared], during: [['out/o.txt']] })).runs).toBe(1);
  const { runs, terminal } = await watched({ texts: [good], during: [['log']] });
  expect(runs).toBe(2);
  expect(terminal.err).toContain(
    'log changed in two runs, one after the other: it counts as changed by the run; save it again to start another\nwaiting for a change',
  );
});

it('a definition that is broken while it is watched is reported, and runs again once it is fixed', async () => {
  const mended = await watched({ texts: [good, broken, good] });
  expect(mended.terminal.err).toContain('w.yaml:5:10: error E_UNKNOWN_KEY: `comand` is not a key of a step');
  expect(mended.terminal.out.split('SUCCEEDED')).toHaveLength(3);
  expect(mended.code).toBe(0);
  expect((await watched({ texts: [good, broken] })).code).toBe(2);
});

it('what is broken from the beginning is not watched', async () => {
  await expect(watched({ texts: [broken, good] })).rejects.toThrow('`comand` is not a key of a step');
});
