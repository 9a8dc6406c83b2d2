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
import { cleanUp } from '../../disk/disk-fixtures.ts';
import { runFixtures, runsInMemory } from './run-fixtures.ts';
import type { RunFixture } from './run-fixtures.ts';
import { step, workflow } from './samples.ts';
import { runJournal } from '../../support/run-journal.ts';

cleanUp();

const ship = workflow(step('make'), step('use'));
const other = workflow(step('make'), step('elsewhere'));

/** Where the workspace lies: in the project, where things can be renamed, or beside it. */
const workspaces = ['project', 'project/sub', 'beside'];
const cases = runFixtures.flatMap((fixture) => workspaces.map((workspace) => ({ ...fixture, workspace })));

function start(fixture: RunFixture, workspace: string, run: string, definition: Workflow): void {
  const folder = makeContextFolder(fixture.open, `${fixture.root}/${workspace}`, definition);
  takeContext(fixture.project, fixture.open, folder, run, definition);
  const card = {
    run,
    workflow: 'w',
    workspace,
    source: null,
    startedBy: 'person',
    person: null,
    startedAt: 1,
  } as const;
  createRun(fixture.project, card, definition);
  const journal = runJournal(fixture.project, run);
  journal.read();
  journal.append([{ at: 1, type: 'resumed', by: 'person' }]);
  journal.close();
}

/** What a run leaves. */
function leave(fixture: RunFixture, workspace: string, run: string, steps: readonly string[]): void {
  fixture.plant(`${workspace}/context/_workflow.json`, run);
  for (const name of steps) {
    fixture.plant(`${workspace}/context/${name}/_meta.json`, run);
    fixture.plant(`${workspace}/context/${name}/plan/deep/plan.md`, run);
  }
}

describe.each(cases)('a context folder in $workspace: $name', ({ make, workspace }) => {
  function world(): RunFixture {
    const fixture = make();
    fixture.plant(workspace, '', 'folder');
    return fixture;
  }

  it('is ignored by git where Mailroom made it, and stays as it is where a person did', () => {
    const fixture = world();
    const place = `${fixture.root}/${workspace}`;
    const text = (path: string) => fixture.open(place)?.read(path, 9)?.toString() ?? null;
    makeContextFolder(fixture.open, place, ship);
    expect(text('context/.gitignore')).toBe('*\n');
    fixture.plant(`${workspace}/theirs/kept.txt`, 'kept');
    fixture.plant(`${workspace}/begun/.1.mailroom-tmp`, '*');
    for (const contextDir of ['theirs', 'begun', '.'])
      makeContextFolder(fixture.open, place, { ...ship, contextDir });
    expect(
      ['theirs', 'begun', '.'].map((folder) => text(`${folder}/.gitignore`.replace('./.', '.'))),
    ).toEqual([null, '*\n', null]);
  });

  it('is rid of what a program that was killed had half written', () => {
    const fixture = world();
    start(fixture, workspace, 'run-1', ship);
    leave(fixture, workspace, 'run-1', ['make']);
    fixture.plant(`${workspace}/context/make/plan/deep/.plan.md.7.mailroom-tmp`, 'ha');
    fixture.plant(`${workspace}/context/._workflow.json.8.mailroom-tmp`, 'ha');
    takeContext(fixture.project, fixture.open, `${fixture.root}/${workspace}/context`, 'run-1', ship);
    const left = fixture.tree(`${workspace}/context`);
    expect(left.filter((path) => path.includes('mailroom-tmp'))).toEqual([]);
    expect(left).toContain('make/plan/deep/plan.md');
  });

  it('is empty for a fresh run; what the last one left lies in its folder', () => {
    const fixture = world();
    start(fixture, workspace, 'run-1', ship);
    leave(fixture, workspace, 'run-1', ['make', 'use', 'use#2']);
    fixture.plant(`${workspace}/context/notes/mine.md`, 'of a person');
    fixture.plant(`${workspace}/context/use/plan/link`, '../../../..', 'link');
    start(fixture, workspace, 'run-2', other);
    expect(fixture.tree(`${workspace}/context`)).toEqual(['.gitignore', 'notes/', 'notes/mine.md']);
    const moved = fixture.tree('project/.mailroom/runs/run-1/context');
    expect(moved.filter((path) => /^[^/]+\/?$/.test(path))).toEqual([
      '_workflow.json',
      'make/',
      'use/',
      'use#2/',
    ]);
    expect(fixture.text('project/.mailroom/runs/run-1/context/use/plan/deep/plan.md')).toBe('run-1');
  });

  it('is given up by an earlier run whose definition is damaged', () => {
    const fixture = world();
    start(fixture, workspace, 'run-1', ship);
    leave(fixture, workspace, 'run-1', ['make', 'use']);
    fixture.project.write('.mailroom/runs/run-1/definition', 'torn');
    start(fixture, workspace, 'run-2', ship);
    expect(fixture.tree(`${workspace}/context`)).toEqual(['.gitignore']);
    expect(fixture.tree('project/.mailroom/runs/run-2/found')).toContain('use/plan/deep/plan.md');
  });

  it('has its things again when a run is resumed', () => {
    const fixture = world();
    start(fixture, workspace, 'run-1', ship);
    leave(fixture, workspace, 'run-1', ['make', 'use']);
    start(fixture, workspace, 'run-2', other);
    leave(fixture, workspace, 'run-2', ['make', 'elsewhere']);
    const folder = makeContextFolder(fixture.open, `${fixture.root}/${workspace}`, ship);
    takeContext(fixture.project, fixture.open, folder, 'run-1', ship);
    const back = fixture.tree(`${workspace}/context`);
    const names = ['.gitignore', '_workflow.json', 'make/', 'use/'];
    expect(back.filter((path) => /^[^/]+\/?$/.test(path))).toEqual(names);
    expect(fixture.text(`${workspace}/context/make/plan/deep/plan.md`)).toBe('run-1');
    expect(fixture.text('project/.mailroom/runs/run-2/context/make/plan/deep/plan.md')).toBe('run-2');
    expect(fixture.tree('project/.mailroom/runs/run-1')).not.toContain('context/');
    takeContext(fixture.project, fixture.open, folder, 'run-1', ship);
    expect(fixture.tree(`${workspace}/context`)).toEqual(back);
  });

  it('gives up what has the name of a step and is of no known run', () => {
    const fixture = world();
    leave(fixture, workspace, 'unknown', ['make', 'other']);
    start(fixture, workspace, 'run-1', ship);
    expect(fixture.tree(`${workspace}/context`).filter((path) => /^[^/]+\/?$/.test(path))).toEqual([
      'other/',
    ]);
    expect(fixture.text('project/.mailroom/runs/run-1/found/make/_meta.json')).toBe('unknown');
  });
});

describe('a context folder that is taken over', () => {
  it('is known to be that of its run after a loss of power, too', () => {
    const disk = new MemoryDisk(() => 0, '/world');
    const told: (boolean | undefined)[] = [];
    disk.before = ({ kind, path, sync }) => {
      if (kind === 'write' && path.includes('/contexts/')) told.push(sync);
    };
    start(runsInMemory(disk), 'project', 'run-1', ship);
    expect(told).toEqual([true, true]);
  });

  it.each(workspaces)('is whole after a crash at any effect, once it was repeated (%s)', (workspace) => {
    const disk = new MemoryDisk(() => 0, '/world');
    const prepared = runsInMemory(disk);
    prepared.plant(workspace, '', 'folder');
    start(prepared, workspace, 'run-1', ship);
    leave(prepared, workspace, 'run-1', ['make', 'use']);
    start(prepared, workspace, 'run-2', other);
    leave(prepared, workspace, 'run-2', ['make', 'elsewhere']);
    const takeOver = (fixture: RunFixture): void => {
      const folder = makeContextFolder(fixture.open, `${fixture.root}/${workspace}`, ship);
      takeContext(fixture.project, fixture.open, folder, 'run-1', ship);
    };
    const whole = runsInMemory(disk.clone());
    takeOver(whole);
    let crashes = 0;
    for (let at = 1; ; at += 1) {
      const world = disk.clone();
      let operations = 0;
      world.before = () => {
        if ((operations += 1) === at) throw new Error('crash');
      };
      const fixture = runsInMemory(world);
      let crashed = false;
      try {
        takeOver(fixture);
      } catch {
        crashed = true;
      }
      world.before = null;
      world.crash();
      if (!crashed) break;
      crashes += 1;
      takeOver(fixture);
      for (const folder of [`${workspace}/context`, 'project/.mailroom/runs'])
        expect(fixture.tree(folder)).toEqual(whole.tree(folder));
      expect(fixture.text(`${workspace}/context/use/plan/deep/plan.md`)).toBe('run-1');
      expect(fixture.text('project/.mailroom/runs/run-2/context/elsewhere/_meta.json')).toBe('run-2');
    }
    expect(crashes).toBeGreaterThan(8);
  });

  it('is locked by its path, and says who has it', () => {
    const fixture = runsInMemory();
    expect(contextLockFile('/a/context')).not.toBe(contextLockFile('/b/context'));
    expect(readContextHolder(fixture.project, '/world/project/context')).toBe(null);
    start(fixture, 'project', 'run-1', ship);
    expect(readContextHolder(fixture.project, '/world/project/context')).toEqual({
      run: 'run-1',
      restored: true,
    });
    expect(() => makeContextFolder(fixture.open, '/world/absent', ship)).toThrowError(
      expect.objectContaining({ code: 'E_WORKSPACE' }),
    );
  });
});
