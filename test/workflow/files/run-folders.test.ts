import { describe, expect, it } from 'vitest';
import { runState } from '../../../src/workflow/host/run-state.ts';
import { MailroomError } from '../../../src/kernel/errors.ts';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import {
  createRun,
  listRuns,
  readRun,
  replaceDefinition,
  runControlFolder,
  runReader,
} from '../../../src/workflow/files/run-folders.ts';
import type { RunCard } from '../../../src/workflow/files/run-folders.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import type { Disk } from '../../../src/disk/disk.ts';
import { cleanUp } from '../../disk/disk-fixtures.ts';
import { runFixtures } from './run-fixtures.ts';
import { step, workflow } from './samples.ts';
import { runJournal } from '../../support/run-journal.ts';

cleanUp();

const sample = workflow(step('make'));

function card(run: string, startedAt = 1): RunCard {
  return {
    run,
    workflow: 'sample',
    workspace: '/w',
    source: 'w.yaml',
    startedBy: 'person',
    person: 'ada',
    startedAt,
  };
}

/** An event with a text that a reader might take for something else. */
function event(at: number, by = 'ada {"n":1} "$map"'): RunEvent {
  return { at, type: 'cancelled', by, command: null };
}

function begin(disk: Disk, run: string, startedAt = 1): void {
  createRun(disk, card(run, startedAt), sample);
  const journal = runJournal(disk, run);
  journal.read();
  journal.append([event(startedAt)]);
  journal.sync();
  journal.close();
}

describe.each(runFixtures)('the folders of runs: $name', ({ make }) => {
  it('exist as runs once their journal has begun', () => {
    const fixture = make();
    const { project } = fixture;
    expect(listRuns(project)).toEqual([]);
    createRun(project, card('a'), sample);
    expect([listRuns(project), readRun(project, 'a')]).toEqual([[], null]);
    fixture.plant('project/.mailroom/runs/a/journal/000000000001.log', '0123 {"n":1,"event":');
    expect([listRuns(project), readRun(project, 'a')]).toEqual([[], null]);
    project.remove('.mailroom/runs/a/journal');
    begin(project, 'a');
    expect(listRuns(project)).toEqual([card('a')]);
    expect(readRun(project, 'a')).toEqual({
      card: card('a'),
      run: 'a',
      definition: sample,
      text: null,
      workspace: '/w',
    });
    expect(() => createRun(project, card('a'), sample)).toThrowError(
      expect.objectContaining({ code: 'E_TARGET' }),
    );
  });

  it('are listed newest first with those whose card is damaged, and what is not a run is left out', () => {
    const fixture = make();
    const { project } = fixture;
    for (const [run, startedAt] of [
      ['b', 2],
      ['a', 1],
      ['d', 2],
      ['c', 3],
    ] as const)
      begin(project, run, startedAt);
    fixture.plant('project/.mailroom/runs/file', '');
    fixture.plant('project/.mailroom/runs/empty', '', 'folder');
    fixture.plant('project/.mailroom/runs/a b', '', 'folder');
    begin(project, 'broken');
    project.write('.mailroom/runs/broken/run.json', '{');
    begin(project, 'copied');
    project.write('.mailroom/runs/copied/run.json', JSON.stringify(card('a')));
    expect(listRuns(project).map(({ run }) => run)).toEqual(['c', 'd', 'b', 'a', 'copied', 'broken']);
    for (const run of ['broken', 'copied'])
      expect(() => readRun(project, run)).toThrow(`.mailroom/runs/${run}/run.json is missing or damaged`);
  });

  it('refuse a name that is not one, and a definition that is gone or is not what was written', () => {
    const { project } = make();
    expect(() => readRun(project, '../a')).toThrowError(expect.objectContaining({ code: 'E_PATH' }));
    expect(readRun(project, 'none')).toBe(null);
    begin(project, 'a');
    const [path, hint] = ['.mailroom/runs/a/definition', 'is missing or damaged'];
    const text = project.read(path, 100_000)!.toString();
    for (const other of ['', '{}', text.slice(0, -2), text.replace('make', 'fake')]) {
      project.write(path, other);
      expect(() => readRun(project, 'a')).toThrow(`${path} ${hint}`);
    }
    project.remove(path);
    expect(() => readRun(project, 'a')).toThrowError(expect.objectContaining({ code: 'E_JOURNAL' }));
  });

  it('take an edited definition', () => {
    const { project } = make();
    begin(project, 'a');
    const edited = workflow(step('other'));
    replaceDefinition(project, 'a', { workflow: edited, text: 'steps: …' });
    expect(readRun(project, 'a')).toMatchObject({ definition: edited, text: 'steps: …' });
  });

  it('have a journal, blobs and a control folder of their own', () => {
    const { project } = make();
    begin(project, 'a');
    begin(project, 'b');
    const journal = runJournal(project, 'a');
    expect(journal.read().records).toEqual([{ n: 1, event: event(1) }]);
    const long = event(2, 'x'.repeat(100_000));
    journal.append([long]);
    journal.snapshot(2, { steps: new Map([['make', { phase: { is: 'open' } }]]) }, 2);
    journal.append([event(3)]);
    journal.sync();
    journal.close();
    const read = runReader(project, 'a').read(0);
    expect(read.snapshot?.state).toEqual({ steps: new Map([['make', { phase: { is: 'open' } }]]) });
    expect(read.records).toEqual([
      { n: 1, event: event(1) },
      { n: 2, event: long },
      { n: 3, event: event(3) },
    ]);
    expect(project.list('.mailroom/runs/a/blobs')).toHaveLength(1);
    expect(runReader(project, 'b').read().records).toHaveLength(1);
    expect(project.list(runControlFolder('a'))).toEqual([]);
    expect(project.list('.mailroom/blobs')).toBe(null);
  });
});

describe('the journal of a run', () => {
  it('may be cut at any byte: what is read is a beginning, and it continues', () => {
    const disk = new MemoryDisk();
    begin(disk, 'a');
    const journal = runJournal(disk, 'a');
    journal.read();
    const events = [2, 3, 4].map((at) => event(at, 'y'.repeat(30)));
    journal.append(events);
    journal.sync();
    journal.close();
    const file = '.mailroom/runs/a/journal/000000000001.log';
    const bytes = disk.read(file, Infinity)!;
    const history = [event(1), ...events];
    const lengths: number[] = [];
    for (let length = 0; length <= bytes.length; length += 1) {
      const cut = disk.clone();
      cut.plant(file, bytes.subarray(0, length));
      const again = runJournal(cut, 'a');
      const read = again.read().records.map((record) => record.event);
      expect(read).toEqual(history.slice(0, read.length));
      expect(listRuns(cut)).toHaveLength(read.length > 0 ? 1 : 0);
      again.append([event(9)]);
      again.sync();
      expect(runReader(cut, 'a').read().records).toHaveLength(read.length + 1);
      lengths.push(read.length);
    }
    expect(new Set(lengths)).toEqual(new Set([0, 1, 2, 3, 4]));
  });
});

it('a run whose journal cannot be read is listed, and told of when it is read', () => {
  const disk = new MemoryDisk();
  for (const run of ['a', 'b']) begin(disk, run);
  const refusal = new MailroomError('E_DISK', 'permission denied');
  disk.beforeRead = (path) => {
    if (path.startsWith('.mailroom/runs/a/journal/')) throw refusal;
  };
  expect(listRuns(disk).map(({ run }) => run)).toEqual(['b', 'a']);
  expect(() => readRun(disk, 'a')).toThrowError(refusal);
});

it('a run of whose journal nothing can be read is none that has yet to begin', () => {
  const disk = new MemoryDisk();
  createRun(disk, card('a'), sample);
  disk.write('.mailroom/runs/a/journal/000000000001.log', 'damaged\n');
  expect(listRuns(disk)).toEqual([card('a')]);
  expect(() => runState(disk, 'a')).toThrowError(
    expect.objectContaining({
      code: 'E_JOURNAL',
      message: '.mailroom/runs/a/journal/: not even the first record can be read',
      hint: 'restore .mailroom/runs/a/ from a backup, or move it away: no other run needs it',
    }),
  );
});
