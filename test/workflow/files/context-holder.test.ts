import { describe, expect, it } from 'vitest';
import {
  contextLockFile,
  makeContextFolder,
  readContextHolder,
  takeContext,
} from '../../../src/workflow/files/context-holder.ts';
import { createRun } from '../../../src/workflow/files/run-folders.ts';
import type { Workflow } from '../../../src/workflow/model.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { benches, cleanUp, memoryBench } from './run-benches.ts';
import type { RunBench } from './run-benches.ts';
import { step, workflow } from './samples.ts';
import { runJournal } from '../../support/run-journal.ts';

cleanUp();

const ship = workflow(step('make'), step('use'));
const other = workflow(step('make'), step('elsewhere'));

/** Where the workspace lies: in the project, where things can be renamed, or beside it. */
const workspaces = ['project', 'project/sub', 'beside'];
const cases = benches.flatMap((bench) => workspaces.map((workspace) => ({ ...bench, workspace })));

function start(bench: RunBench, workspace: string, run: string, definition: Workflow): void {
  const folder = makeContextFolder(bench.open, `${bench.root}/${workspace}`, definition);
  takeContext(bench.project, bench.open, folder, run, definition);
  const card = {
    run,
    workflow: 'w',
    workspace,
    source: null,
    startedBy: 'person',
    person: null,
    startedAt: 1,
  } as const;
  createRun(bench.project, card, definition);
  const journal = runJournal(bench.project, run);
  journal.read();
  journal.append([{ at: 1, type: 'resumed', by: 'person' }]);
  journal.close();
}

/** What a run leaves. */
function leave(bench: RunBench, workspace: string, run: string, steps: readonly string[]): void {
  bench.plant(`${workspace}/context/_workflow.json`, run);
  for (const name of steps) {
    bench.plant(`${workspace}/context/${name}/_meta.json`, run);
    bench.plant(`${workspace}/context/${name}/plan/deep/plan.md`, run);
  }
}

describe.each(cases)('a context folder in $workspace: $name', ({ make, workspace }) => {
  function world(): RunBench {
    const bench = make();
    bench.plant(workspace, '', 'folder');
    return bench;
  }

  it('is rid of what a program that was killed had half written', () => {
    const bench = world();
    start(bench, workspace, 'run-1', ship);
    leave(bench, workspace, 'run-1', ['make']);
    bench.plant(`${workspace}/context/make/plan/deep/.plan.md.7.mailroom-tmp`, 'ha');
    bench.plant(`${workspace}/context/._workflow.json.8.mailroom-tmp`, 'ha');
    takeContext(bench.project, bench.open, `${bench.root}/${workspace}/context`, 'run-1', ship);
    const left = bench.tree(`${workspace}/context`);
    expect(left.filter((path) => path.includes('mailroom-tmp'))).toEqual([]);
    expect(left).toContain('make/plan/deep/plan.md');
  });

  it('is empty for a fresh run; what the last one left lies in its folder', () => {
    const bench = world();
    start(bench, workspace, 'run-1', ship);
    leave(bench, workspace, 'run-1', ['make', 'use', 'use#2']);
    bench.plant(`${workspace}/context/notes/mine.md`, 'of a person');
    bench.plant(`${workspace}/context/use/plan/link`, '../../../..', 'link');
    start(bench, workspace, 'run-2', other);
    expect(bench.tree(`${workspace}/context`)).toEqual(['notes/', 'notes/mine.md']);
    const moved = bench.tree('project/.mailroom/runs/run-1/context');
    expect(moved.filter((path) => /^[^/]+\/?$/.test(path))).toEqual([
      '_workflow.json',
      'make/',
      'use/',
      'use#2/',
    ]);
    expect(bench.text('project/.mailroom/runs/run-1/context/use/plan/deep/plan.md')).toBe('run-1');
  });

  it('is given up by an earlier run whose definition is damaged', () => {
    const bench = world();
    start(bench, workspace, 'run-1', ship);
    leave(bench, workspace, 'run-1', ['make', 'use']);
    bench.project.write('.mailroom/runs/run-1/definition', 'torn');
    start(bench, workspace, 'run-2', ship);
    expect(bench.tree(`${workspace}/context`)).toEqual([]);
    expect(bench.tree('project/.mailroom/runs/run-2/found')).toContain('use/plan/deep/plan.md');
  });

  it('has its things again when a run is resumed', () => {
    const bench = world();
    start(bench, workspace, 'run-1', ship);
    leave(bench, workspace, 'run-1', ['make', 'use']);
    start(bench, workspace, 'run-2', other);
    leave(bench, workspace, 'run-2', ['make', 'elsewhere']);
    const folder = makeContextFolder(bench.open, `${bench.root}/${workspace}`, ship);
    takeContext(bench.project, bench.open, folder, 'run-1', ship);
    const back = bench.tree(`${workspace}/context`);
    expect(back.filter((path) => /^[^/]+\/?$/.test(path))).toEqual(['_workflow.json', 'make/', 'use/']);
    expect(bench.text(`${workspace}/context/make/plan/deep/plan.md`)).toBe('run-1');
    expect(bench.text('project/.mailroom/runs/run-2/context/make/plan/deep/plan.md')).toBe('run-2');
    expect(bench.tree('project/.mailroom/runs/run-1')).not.toContain('context/');
    takeContext(bench.project, bench.open, folder, 'run-1', ship);
    expect(bench.tree(`${workspace}/context`)).toEqual(back);
  });

  it('gives up what has the name of a step and is of no known run', () => {
    const bench = world();
    leave(bench, workspace, 'unknown', ['make', 'other']);
    start(bench, workspace, 'run-1', ship);
    expect(bench.tree(`${workspace}/context`).filter((path) => /^[^/]+\/?$/.test(path))).toEqual(['other/']);
    expect(bench.text('project/.mailroom/runs/run-1/found/make/_meta.json')).toBe('unknown');
  });
});

describe('a context folder that is taken over', () => {
  it('is known to be that of its run after a loss of power, too', () => {
    const disk = new MemoryDisk(() => 0, '/world');
    const told: (boolean | undefined)[] = [];
    disk.before = ({ kind, path, sync }) => {
      if (kind === 'write' && path.includes('/contexts/')) told.push(sync);
    };
    start(memoryBench(disk), 'project', 'run-1', ship);
    expect(told).toEqual([true, true]);
  });

  it.each(workspaces)('is whole after a crash at any effect, once it was repeated (%s)', (workspace) => {
    const disk = new MemoryDisk(() => 0, '/world');
    const prepared = memoryBench(disk);
    prepared.plant(workspace, '', 'folder');
    start(prepared, workspace, 'run-1', ship);
    leave(prepared, workspace, 'run-1', ['make', 'use']);
    start(prepared, workspace, 'run-2', other);
    leave(prepared, workspace, 'run-2', ['make', 'elsewhere']);
    const takeOver = (bench: RunBench): void => {
      const folder = makeContextFolder(bench.open, `${bench.root}/${workspace}`, ship);
      takeContext(bench.project, bench.open, folder, 'run-1', ship);
    };
    const whole = memoryBench(disk.clone());
    takeOver(whole);
    let crashes = 0;
    for (let at = 1; ; at += 1) {
      const world = disk.clone();
      let operations = 0;
      world.before = () => {
        if ((operations += 1) === at) throw new Error('crash');
      };
      const bench = memoryBench(world);
      let crashed = false;
      try {
        takeOver(bench);
      } catch {
        crashed = true;
      }
      world.before = null;
      world.crash();
      if (!crashed) break;
      crashes += 1;
      takeOver(bench);
      for (const folder of [`${workspace}/context`, 'project/.mailroom/runs'])
        expect(bench.tree(folder)).toEqual(whole.tree(folder));
      expect(bench.text(`${workspace}/context/use/plan/deep/plan.md`)).toBe('run-1');
      expect(bench.text('project/.mailroom/runs/run-2/context/elsewhere/_meta.json')).toBe('run-2');
    }
    expect(crashes).toBeGreaterThan(8);
  });

  it('is locked by its path, and says who has it', () => {
    const bench = memoryBench();
    expect(contextLockFile('/a/context')).not.toBe(contextLockFile('/b/context'));
    expect(readContextHolder(bench.project, '/world/project/context')).toBe(null);
    start(bench, 'project', 'run-1', ship);
    expect(readContextHolder(bench.project, '/world/project/context')).toEqual({
      run: 'run-1',
      restored: true,
    });
    expect(() => makeContextFolder(bench.open, '/world/absent', ship)).toThrowError(
      expect.objectContaining({ code: 'E_WORKSPACE' }),
    );
  });
});
