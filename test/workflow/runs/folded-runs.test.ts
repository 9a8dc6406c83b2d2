import { beforeEach, describe, expect, it } from 'vitest';
import { segmentName } from '../../../src/disk/journal-files.ts';
import { runFolder } from '../../../src/host/run-mail.ts';
import { createRun, replaceDefinition } from '../../../src/workflow/files/run-folders.ts';
import { runState } from '../../../src/workflow/host/run-state.ts';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import { FoldedRuns } from '../../../src/workflow/runs/folded-runs.ts';
import type { SettingsReader } from '../../../src/project/definition/definition.ts';
import { readRuns } from '../../../src/workflow/runs/reading.ts';
import { Workflows } from '../../../src/workflow/runs/workflows.ts';
import { compile } from '../../../src/workflow/machine/rules.ts';
import { runRow } from '../../../src/workflow/runs/summary.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { runJournal } from '../../support/run-journal.ts';
import { World } from '../machine/world.ts';

const run = '01a2016e-6cf7-73bd-a8ca-4cdc87d98434';
const first = `${runFolder(run)}/journal/${segmentName(1)}`;

/** A disk that counts the bytes that are read of it. */
class CountingDisk extends MemoryDisk {
  bytes = 0;

  override read(...asked: Parameters<MemoryDisk['read']>): Buffer | null {
    const found = super.read(...asked);
    this.bytes += found?.length ?? 0;
    return found;
  }

  /** The bytes that are read while it acts. */
  readBy(act: () => void): number {
    const before = this.bytes;
    act();
    return this.bytes - before;
  }
}

let time = 1;
let disk: CountingDisk;
let world: World;
let folded: FoldedRuns;

beforeEach(() => {
  disk = new CountingDisk(() => (time += 1));
  world = new World('a\nb <- a\nask <- b : gate=1h', { given: { run } });
  folded = new FoldedRuns(disk);
});

function begin(id = run): void {
  const { workflow } = world.rules;
  const { name } = workflow;
  createRun(
    disk,
    { run: id, workflow: name, workspace: '/w', source: null, startedBy: 'up', person: null, startedAt: 1 },
    workflow,
  );
  append(world.history, id);
}

function append(events: readonly RunEvent[], id = run): number {
  const journal = runJournal(disk, id);
  journal.read();
  const before = disk.look(`${runFolder(id)}/journal/${segmentName(1)}`)?.size ?? 0;
  journal.append(events);
  journal.sync();
  journal.close();
  return (disk.look(`${runFolder(id)}/journal/${segmentName(1)}`)?.size ?? 0) - before;
}

/** Appends what the world has done since. */
function go(act: () => void): number {
  const known = world.history.length;
  act();
  return append(world.history.slice(known));
}

function expectCurrent(): void {
  expect(folded.row(run)).toEqual(runRow(runState(disk, run), world.rules));
}

describe('the rows of runs', () => {
  it('are read again only by what their journals have grown by', () => {
    begin();
    expect(disk.readBy(() => folded.row(run))).toBeGreaterThan(1_000);
    expect(disk.readBy(() => folded.row(run))).toBe(0);
    const grown = go(() => world.done('a'));
    expect(grown).toBeGreaterThan(0);
    expect(disk.readBy(() => folded.row(run))).toBe(grown);
    expect(disk.readBy(() => folded.state(run))).toBe(0);
    expectCurrent();
    expect(folded.state(run)).toEqual(runState(disk, run));
  });

  it('cost nothing once a run has ended, until it is resumed', () => {
    begin();
    go(() => {
      world.done('a');
      world.fails('b', { text: 'no luck' });
    });
    expect(folded.row(run).shown.status).toBe('FAILED');
    expect(disk.readBy(() => folded.row(run))).toBe(0);
    expect(folded.state(run)).toEqual(runState(disk, run));
    append([{ type: 'resumed', at: world.now, by: 'person' }]);
    expect(folded.row(run).endedAt).toBe(null);
    expectCurrent();
  });

  it('keep the states of some open runs, and the rows of all', () => {
    const ids = Array.from({ length: 70 }, (_, index) => `r${String(index)}`);
    for (const id of ids) begin(id);
    for (const id of ids) folded.row(id);
    expect(disk.readBy(() => ids.forEach((id) => folded.row(id)))).toBe(0);
    const grown = append([{ type: 'paused', on: true, by: 'ada', at: world.now, command: null }], 'r0');
    expect(disk.readBy(() => folded.row('r0'))).toBeGreaterThan(grown);
    expect(folded.row('r0').paused).toMatchObject({ by: 'ada' });
    folded.keep(['r1']);
    expect(disk.readBy(() => folded.row('r1'))).toBe(0);
    expect(disk.readBy(() => folded.row('r2'))).toBeGreaterThan(0);
  });
});

describe('a run is read anew', () => {
  /** Whether more is read than what is new. */
  function expectWhole(): void {
    expect(disk.readBy(() => folded.row(run))).toBeGreaterThan(1_000);
    expectCurrent();
  }

  beforeEach(() => {
    begin();
    go(() => world.done('a'));
    folded.row(run);
  });

  it('when its journal is replaced by one of the same length', () => {
    const text = disk.read(first, 1_000_000)?.toString() ?? '';
    disk.write(first, text);
    expectWhole();
  });

  it('when its journal is replaced by a shorter one', () => {
    const lines = disk.read(first, 1_000_000)?.toString().split('\n') ?? [];
    disk.write(first, `${lines.slice(0, 3).join('\n')}\n`);
    expectWhole();
  });

  it('when another journal has grown over its place', () => {
    const other = new World('b\na <- b\nask <- a : gate=1h', {
      given: { run, parameters: { long: 'x'.repeat(300) } },
    });
    other.done('b');
    disk.remove(first);
    append(other.history);
    expectWhole();
  });

  it('when a snapshot has replaced what was read', () => {
    const journal = runJournal(disk, run);
    journal.read();
    const known = world.history.length;
    world.done('b');
    const last = journal.append(world.history.slice(known));
    journal.snapshot(last, world.state, last);
    journal.close();
    disk.remove(first);
    expectCurrent();
  });

  it('when its definition is replaced', () => {
    const edited = { ...world.rules.workflow, name: 'renamed' };
    replaceDefinition(disk, run, { workflow: edited, text: null });
    expect(folded.row(run)).toEqual(runRow(runState(disk, run), compile(edited)));
  });

  it('and not beyond its last whole line, nor after that was cut', () => {
    const whole = disk.read(first, 1_000_000)?.toString() ?? '';
    const events = folded.state(run).events;
    const [line = ''] = whole.split('\n').slice(-2);
    disk.openAppend(first).write(Buffer.from(line.slice(0, 30)));
    expect(folded.state(run).events).toBe(events);
    disk.openAppend(first).truncate(Buffer.byteLength(whole));
    expect(folded.state(run).events).toBe(events);
    go(() => world.done('b'));
    expectCurrent();
  });

  it('when it was damaged, and is correct again', () => {
    const whole = disk.read(first, 1_000_000)?.toString() ?? '';
    disk.write(first, `${whole.slice(0, 40)}!${whole.slice(41)}`);
    for (const _ of [1, 2]) expect(() => folded.row(run)).toThrow('does not match its checksum');
    disk.write(first, whole);
    expectCurrent();
  });

  it('unless it was removed', () => {
    disk.remove(runFolder(run));
    expect(() => folded.row(run)).toThrowError(expect.objectContaining({ code: 'E_TARGET' }));
  });
});

it('a list at a time of the past reads only the runs that had not ended', async () => {
  begin();
  const before = world.now;
  world.pass(1_000);
  go(() => world.fails('a', { text: 'no luck' }));
  const workflows = new Workflows(disk, {} as SettingsReader);
  const at = async (moment: number | null) => (await readRuns(workflows, { time: moment })).runs;
  expect(await at(null)).toMatchObject([{ status: 'FAILED', alive: false, standing: { is: 'failed' } }]);
  expect(await at(before)).toMatchObject([{ status: 'RUNNING', alive: true, completed_at: null }]);
  let reads = 0;
  disk.beforeRead = (path) => void (reads += path === `${runFolder(run)}/definition` ? 1 : 0);
  expect(await at(world.now)).toMatchObject([{ status: 'FAILED', alive: false }]);
  // It is looked at, and not read.
  expect(reads).toBe(1);
  expect(await at(0)).toEqual([]);
});
