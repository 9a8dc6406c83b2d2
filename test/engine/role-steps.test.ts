import { expect, it } from 'vitest';
import type { Given } from '../../src/core/workflow/event.ts';
import type { RunFiles } from '../../src/core/workflow/ports.ts';
import { RunHost } from '../../src/engine/runs/run-host.ts';
import { DiskControl } from '../../src/store/control.ts';
import { createRun, runControlFolder, runJournal } from '../../src/store/runs/run-folders.ts';
import { step, workflow } from '../runs/samples.ts';
import { template } from '../workflow/graph.ts';
import { Crash, Desk, run } from './desk.ts';

const roles = workflow(step('build', [], { kind: 'role', role: 'one', instructions: template('Build it.') }));
const nothing = () => {};
const unlimited = { usd: null, tokens: null };
const given: Given = {
  run,
  workflow: 'sample',
  version: '1',
  language: 'native',
  parameters: {},
  context: {},
  trigger: null,
  env: {},
  budget: unlimited,
  timeout: null,
  only: null,
};

const files: RunFiles = {
  prepare: () => ({
    workspace: '/w',
    folder: '/w/folder',
    valuesFile: '/w/folder/values.json',
    decisionFile: null,
    inputs: [],
    stdout: '',
    stderr: '',
  }),
  note: nothing,
  collect: () => ({ artifacts: [], missing: [], values: null, decision: null, warnings: [] }),
  handOver: nothing,
  diffBase: () => 'HEAD',
  convergence: nothing,
  export: () => false,
  meta: nothing,
  summary: nothing,
  deadLetter: nothing,
};

/** The host of the run, begun or gone on with. */
function hostOf(desk: Desk, begun: boolean): RunHost {
  const host = new RunHost(
    {
      clock: { now: desk.disk.now },
      journal: runJournal(desk.disk, run),
      files,
      control: new DiskControl(desk.disk, runControlFolder(run)),
      runner: { start: nothing, stop: nothing, sweep: () => Promise.resolve() },
      mail: desk.run,
      providers: new Map(),
      parking: { list: () => new Map<string, number>(), park: nothing },
      project: desk.disk.root,
      changed: () => Promise.resolve([]),
      salvage: () => Promise.resolve(null),
      mask: (text) => text,
      told: nothing,
      variables: () => ({}),
    },
    roles,
    { slots: 2, watch: nothing },
  );
  if (begun) host.resume('person');
  else host.begin(given);
  return host;
}

function begin(): Desk {
  const desk = new Desk();
  const card = {
    run,
    workflow: 'sample',
    workspace: '/w',
    source: null,
    startedBy: 'person',
    startedAt: 0,
  } as const;
  createRun(desk.disk, card, roles);
  return desk;
}

/** Looks, in turn with the mail, until the run is over. */
function follow(desk: Desk, host: RunHost, looks: () => void = nothing): void {
  for (let round = 0; host.state.endedAt === null; round += 1) {
    if (round > 100) throw new Error('the run does not end');
    looks();
    host.look();
    desk.disk.before = null;
    desk.settle();
    desk.now += 1_000;
  }
  looks();
  host.look();
}

it('posts a step once, takes its answer and forgets it', () => {
  const desk = begin();
  const host = hostOf(desk, false);
  follow(desk, host);
  expect(host.state).toMatchObject({ status: 'SUCCEEDED' });
  expect(host.state.steps.get('build')).toMatchObject({ attempts: 1, result: { output: 'done it' } });
  expect(desk.turns).toBe(1);
  expect(desk.run.posted()).toEqual([]);
  expect(desk.run.answers()).toEqual([]);
});

it('shows the run as waiting while its role waits, and that it is not ours to run', () => {
  const desk = begin();
  const host = hostOf(desk, false);
  host.look();
  host.look();
  expect(host).toMatchObject({ desired: 0, running: 0, wantsMail: true });
  desk.disk.write(`.mailroom/runs/${run}/inbox/waits.json`, JSON.stringify(desk.run.posted()));
  host.look();
  expect(host.state.steps.get('build')?.phase).toMatchObject({ is: 'running', waits: true });
});

it('withdraws what a run that is cancelled has posted', () => {
  const desk = begin();
  const host = hostOf(desk, false);
  host.look();
  host.look();
  const [id = ''] = desk.run.posted();
  const command = {
    id: 'c',
    at: desk.now,
    by: 'ada',
    verb: 'cancel',
    path: '',
    comment: null,
    instructions: null,
  };
  desk.disk.write(`${runControlFolder(run)}/c.json`, JSON.stringify(command));
  follow(desk, host);
  expect(host.state.status).toBe('CANCELLED');
  expect(desk.run.posted()).toEqual([]);
  desk.settle();
  expect(desk.turns).toBe(0);
  expect(desk.host.state.threads.get(id)?.state).toBe('failed');
});

it('leaves a step in the mail when it is stopped', () => {
  const desk = begin();
  const host = hostOf(desk, false);
  host.look();
  host.look();
  host.stop();
  desk.settle();
  expect(desk.heard()).toEqual(['done it']);
  const next = hostOf(desk, true);
  follow(desk, next);
  expect(next.state.status).toBe('SUCCEEDED');
  expect(desk.turns).toBe(1);
});

it('has a step done once, wherever the host of the run was killed', () => {
  let crashes = 0;
  for (let until = 1; ; until += 1) {
    const desk = begin();
    const first = hostOf(desk, false);
    let operations = 0;
    const count = () => {
      if ((operations += 1) === until) throw new Crash('killed');
    };
    try {
      follow(desk, first, () => (desk.disk.before = count));
      break;
    } catch (error) {
      expect(error).toBeInstanceOf(Crash);
      crashes += 1;
    }
    desk.disk.before = null;
    desk.disk.crash();
    desk.open();
    const next = hostOf(desk, true);
    follow(desk, next);
    desk.settle();
    const found = {
      until,
      status: next.state.status,
      turns: desk.turns,
      posted: desk.run.posted(),
      heard: desk.heard(),
    };
    expect(found).toEqual({ until, status: 'SUCCEEDED', turns: 1, posted: [], heard: [] });
  }
  expect(crashes).toBeGreaterThan(7);
});
