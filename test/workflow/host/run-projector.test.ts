import { expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { DiskGuard } from '../../../src/disk/disk-guard.ts';
import { RunProjector } from '../../../src/workflow/host/projector.ts';
import { runDocument } from '../../../src/languages/swdl/run-record.ts';
import { records as format } from '../../../src/languages/orchestrate/records.ts';
import { Records } from '../../../src/workflow/host/records.ts';
import { graph, workflow } from '../machine/graph.ts';
import { World } from '../machine/world.ts';

it('shows the statuses at the start, at the end, when a person is asked, and else once a second', () => {
  const world = new World('a\nb <- a\nc <- b\nd <- c\ng <- d : gate=1h');
  const shown: unknown[][] = [];
  const nothing = () => {};
  const files = {
    meta: nothing,
    summary: ({ status, steps }: JsonObject) =>
      void shown.push([status, ...Object.values(steps as JsonObject)]),
    record: nothing,
    export: () => true,
    convergence: nothing,
  };
  const disk = new DiskGuard();
  const pictures = new RunProjector({ clock: { now: () => world.now }, files }, world.rules, disk);
  let drawn = 0;
  const draw = () => {
    pictures.project(world.state, world.history.slice(drawn));
    drawn = world.history.length;
  };
  draw();
  world.done('a');
  draw();
  world.pass(1_000);
  world.done('b');
  draw();
  world.pass(999);
  world.done('c');
  draw();
  world.done('d');
  draw();
  world.judge('g', 'approve');
  draw();
  expect(shown).toEqual([
    ['RUNNING', 'RUNNING', 'PENDING', 'PENDING', 'PENDING', 'PENDING'],
    ['RUNNING', 'SUCCEEDED', 'SUCCEEDED', 'RUNNING', 'PENDING', 'PENDING'],
    ['RUNNING', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'RUNNING'],
    ['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'],
  ]);
});

it('shows within a second what came after the last picture, though nothing else happens', () => {
  const world = new World('a\nb <- a');
  const shown: unknown[] = [];
  const nothing = () => {};
  const summary = ({ steps }: JsonObject) => void shown.push(steps);
  const files = { meta: nothing, summary, record: nothing, export: () => true, convergence: nothing };
  const disk = new DiskGuard();
  const pictures = new RunProjector({ clock: { now: () => world.now }, files }, world.rules, disk);
  pictures.project(world.state, world.history);
  const seen = world.history.length;
  world.pass(300);
  world.done('a');
  pictures.project(world.state, world.history.slice(seen));
  expect(shown).toHaveLength(1);
  expect(pictures.due).toBe(world.now + 700);
  world.pass(699);
  pictures.project(world.state, []);
  expect(shown).toHaveLength(1);
  world.pass(1);
  pictures.project(world.state, []);
  expect(shown.at(-1)).toEqual({ a: 'SUCCEEDED', b: 'RUNNING' });
  expect(pictures.due).toBeNull();
  pictures.project(world.state, []);
  expect(shown).toHaveLength(2);
});

it('shows all three documents within a second in a run of 2,000 steps, and hardly more often', () => {
  const chain = Array.from({ length: 2_000 }, (_, n) =>
    n === 0 ? 's0' : `s${String(n)} <- s${String(n - 1)}`,
  );
  const display = { title: 'many', record: 'run.yaml' };
  const world = new World({ ...workflow(graph(chain.join('\n'))), display }, { watched: false });
  /** Since when a document lacks something; null: it has everything. */
  const since: Record<string, number | null> = {
    '_workflow.json': null,
    'run.yaml': null,
    'state.json': null,
  };
  const written = new Map<string, number>();
  let slowest = 0;
  const shows = (name: string): void => {
    slowest = Math.max(slowest, world.now - (since[name] ?? world.now));
    since[name] = null;
    written.set(name, (written.get(name) ?? 0) + 1);
  };
  const nothing = () => {};
  const files = {
    meta: nothing,
    summary: () => shows('_workflow.json'),
    record: () => shows('run.yaml'),
    export: () => true,
    convergence: nothing,
  };
  const disk = new DiskGuard();
  const projector = new RunProjector(
    { clock: { now: () => world.now }, files, document: runDocument },
    world.rules,
    disk,
  );
  const state = () => {
    shows('state.json');
    return 1_000_000;
  };
  const records = new Records(
    { state, lastLine: () => 0, log: nothing, printed: nothing, outputs: () => ({}) },
    format,
    world.rules,
    disk,
  );
  let seen = 0;
  const look = (): void => {
    const events = world.history.slice(seen);
    seen = world.history.length;
    if (events.length > 0) for (const name of Object.keys(since)) since[name] ??= world.now;
    projector.project(world.state, events);
    records.observe(world.state, events, world.now);
  };
  // As the host of a run does: it looks when something has happened, and when it was told to.
  const until = (time: number): void => {
    for (;;) {
      const due = [projector.due, records.due(world.now)].filter((at) => at !== null && at <= time);
      if (due.length === 0) return world.pass(time - world.now);
      world.pass(Math.max(0, Math.min(...due.map(Number)) - world.now));
      look();
    }
  };
  look();
  const begun = world.now;
  for (const step of chain.keys()) {
    until(world.now + (step % 100 === 99 ? 5_000 : 7));
    world.done(`s${String(step)}`);
    look();
  }
  expect(world.state.status).toBe('SUCCEEDED');
  expect(since).toEqual({ '_workflow.json': null, 'run.yaml': null, 'state.json': null });
  expect(slowest).toBeGreaterThan(500);
  expect(slowest).toBeLessThanOrEqual(1_000);
  const most = (world.now - begun) / 1_000 + 2;
  for (const count of written.values()) expect(count).toBeLessThanOrEqual(most);
});

it('draws again what the disk has refused, and forgets the problem once it is drawn', () => {
  const world = new World('a\nb <- a');
  const drawn: string[] = [];
  let refuses = true;
  const draw = (name: string) => () => {
    if (refuses) throw new MailroomError('E_DISK', `no space left for ${name}`);
    drawn.push(name);
  };
  const nothing = () => {};
  const files = {
    meta: draw('meta'),
    summary: draw('summary'),
    record: nothing,
    export: () => true,
    convergence: nothing,
  };
  const disk = new DiskGuard();
  const pictures = new RunProjector({ clock: { now: () => world.now }, files }, world.rules, disk);
  world.done('a');
  pictures.project(world.state, world.history);
  expect(disk.problem).toBe('no space left for meta');
  refuses = false;
  expect(pictures.due).toBe(world.now + 1_000);
  world.pass(1_000);
  pictures.project(world.state, []);
  expect([disk.problem, pictures.due]).toEqual([null, null]);
  expect(drawn.toSorted()).toEqual(['meta', 'summary', 'summary']);
});

it('writes no refused document of a step that has started again: it has no artifacts yet', () => {
  const world = new World('a');
  const written: unknown[] = [];
  let refuses = true;
  const meta = (path: string, { status, artifacts }: JsonObject) => {
    if (refuses) throw new MailroomError('E_DISK', `no space left for ${path}`);
    written.push([status, (artifacts as readonly unknown[]).length]);
  };
  const nothing = () => {};
  const files = { meta, summary: nothing, record: nothing, export: () => true, convergence: nothing };
  const disk = new DiskGuard();
  const projector = new RunProjector({ clock: { now: () => world.now }, files }, world.rules, disk);
  let seen = 0;
  const project = () => {
    projector.project(world.state, world.history.slice(seen));
    seen = world.history.length;
  };
  world.fails('a', { class: 'FATAL' });
  project();
  expect(disk.isPending).toBe(true);
  world.happens({ type: 'retried', path: 'a', instructions: null, by: 'ada', command: null });
  refuses = false;
  world.pass(1_000);
  project();
  projector.project(world.state, []);
  expect([written, disk.isPending]).toEqual([[], false]);
  world.done('a', { artifacts: ['plan'] });
  project();
  expect(written).toEqual([['SUCCEEDED', 1]]);
});

it('keeps what the check of each iteration found, also of several that become durable at once', () => {
  const definition = workflow(graph('a : check=9 stall=2'));
  const world = new World(definition);
  const written: [string, number, JsonObject][] = [];
  const nothing = () => {};
  const files = {
    meta: nothing,
    summary: nothing,
    record: () => {},
    export: () => true,
    convergence: (path: string, iteration: number, document: JsonObject) =>
      void written.push([path, iteration, document]),
  };
  const disk = new DiskGuard();
  const pictures = new RunProjector({ clock: { now: () => world.now }, files }, world.rules, disk);
  for (const reason of ['no tests', 'one fails', 'one fails', 'one fails', 'one fails']) {
    world.done('a');
    world.incomplete('a', [reason]);
  }
  pictures.project(world.state, world.history);
  // The first finding is gone; the second stands still twice, and at the last stage the step fails.
  expect(written[0]).toEqual([
    'a',
    1,
    { iteration: 1, stage: 1, stalled: 1, reasons: ['no tests'], fingerprints: [] },
  ]);
  const found = written.map(([path, at, { iteration, stage }]) => [path, at, iteration, stage]);
  expect(found).toEqual([
    ['a', 1, 1, 1],
    ['a', 2, 2, 1],
    ['a', 3, 3, 2],
    ['a', 4, 4, 2],
    ['a', 5, 5, 3],
  ]);
});
