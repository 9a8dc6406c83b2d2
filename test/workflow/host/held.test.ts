import { expect, it } from 'vitest';
import { HostFault } from '../../../src/kernel/contained.ts';
import { diskError } from '../../../src/disk/disk.ts';
import { Checkouts, type Begun } from '../../../src/workflow/host/checkouts.ts';
import type { Launch } from '../../../src/workflow/machine/launch.ts';
import { exit } from '../../providers/samples.ts';
import { graph, template, workflow } from '../machine/graph.ts';
import { noGit } from './no-git.ts';
import { StepResults } from '../../../src/workflow/host/step-results.ts';
import { onceRepaired } from '../../../src/host/host-waits.ts';
import { begin, hostOf } from './hosted-run.ts';

const definition = { ...workflow(graph('work'), { name: 'sample' }), contextDir: './context' };
const problem = 'work waits until this machine can start it: no room (EAGAIN)';

/** A run of one step, and the keys of what was started. */
function running() {
  const project = begin(definition);
  const started: string[] = [];
  const start = ({ key }: { key: string }) => void started.push(key);
  const runner = { start, stop: () => {}, sweep: () => Promise.resolve() };
  const host = hostOf(project, definition, false, { runner });
  host.look();
  const wait = () => {
    project.now += 1_000;
    host.look();
  };
  return { project, host, started, wait };
}

it('holds a step that the machine could not start, and counts no attempt', () => {
  const { host, started, wait } = running();
  for (let again = 0; again < 4; again += 1) {
    const [key = ''] = started.splice(0);
    host.held(key, 'no room (EAGAIN)');
    host.look();
    expect([started, host.problem, host.idle()]).toEqual([[], problem, 'busy']);
    expect(host.heldSteps).toEqual([{ work: 'work', problem }]);
    wait();
  }
  expect(started).toHaveLength(1);
  host.ended(started[0] ?? '', exit());
  host.look();
  host.look();
  expect([host.problem, host.state.status]).toEqual([null, 'SUCCEEDED']);
  expect(host.state.steps.get('work')).toMatchObject({ attempt: 1 });
});

it('holds a step whose files the disk refuses for lack of room', () => {
  const { project, host, started, wait } = running();
  host.held(started[0] ?? '', 'no room (EAGAIN)');
  project.disk.before = ({ kind, path }) => {
    const cause = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    if (kind === 'write' || path.includes('/steps/')) throw diskError('write', path, cause);
  };
  wait();
  expect([host.running, host.state.endedAt, host.problem]).toEqual([
    0,
    null,
    expect.stringContaining('no space'),
  ]);
  project.disk.before = null;
  wait();
  wait();
  expect([host.running, host.state.endedAt]).toEqual([1, null]);
});

it.each([
  [
    'reports',
    () => Promise.resolve({ ok: false, problem: 'No space left on device', resolving: null } as const),
  ],
  ['throws', () => Promise.reject(new HostFault('E_DISK', 'No space left on device'))],
])('holds a step whose checkout has no room: git %s it', async (_how, enter) => {
  const git = { ...noGit, enter };
  const launch = { checkout: { conflict: null, merges: false }, work: { kind: 'agent' } };
  const begun = await new Promise<Begun>((resolve) => {
    const checkouts = new Checkouts({ clock: { now: () => 0 }, git, report: (act) => act() });
    checkouts.begin('work', launch as unknown as Launch, resolve);
  });
  expect(begun).toEqual({ is: 'held', problem: 'No space left on device' });
});

it('waits until the machine lets it read what a step left, and runs the step once', () => {
  const { project, host, started, wait } = running();
  project.disk.beforeRead = (path) => {
    const cause = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    if (path.includes('/steps/')) throw diskError('read', path, cause);
  };
  host.ended(started[0] ?? '', exit());
  for (let again = 0; again < 3; again += 1) {
    host.look();
    const said = expect.stringMatching(/^work has ended and .*too many open files/);
    expect([host.problem, host.heldSteps]).toEqual([said, [{ work: 'work', problem: said }]]);
    expect([host.running, host.state.endedAt]).toEqual([1, null]);
    wait();
  }
  project.disk.beforeRead = null;
  wait();
  wait();
  expect([host.problem, host.state.status, started.length]).toEqual([null, 'SUCCEEDED', 1]);
  expect(host.state.steps.get('work')).toMatchObject({ attempt: 1 });
});

it('ends with its host what waits to be read', () => {
  const { project, host, started } = running();
  project.disk.beforeRead = (path) => {
    const cause = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    if (path.includes('/steps/')) throw diskError('read', path, cause);
  };
  host.ended(started[0] ?? '', exit());
  expect(host.running).toBe(1);
  host.stop();
  expect(host.running).toBe(0);
});

it('holds a hook that the machine could not start, and starts it again', () => {
  const hook = { on: 'complete', run: [template('true')], notify: null } as const;
  const hooked = { ...definition, hooks: [hook] };
  const project = begin(hooked);
  const started: string[] = [];
  const hooks = { places: () => ({ workspace: '/w', folder: '/w' }), log: () => {}, notify: () => {} };
  const runner = {
    start: ({ key }: { key: string }) => void started.push(key),
    stop: () => {},
    sweep: () => Promise.resolve(),
  };
  const host = hostOf(project, hooked, false, { runner, hooks: hooks as never });
  host.look();
  host.ended(started.shift() ?? '', exit());
  host.look();
  host.look();
  for (let again = 0; again < 3; again += 1) {
    expect(started).toEqual(['hook:complete.0']);
    host.held(started.shift() ?? '', 'no room (EAGAIN)');
    host.look();
    expect([started, host.problem, host.idle()]).toEqual([[], problem, 'busy']);
    project.now += 1_000;
    host.look();
  }
  host.ended(started[0] ?? '', exit());
  host.look();
  expect([host.problem, host.idle()]).toEqual([null, 'done']);
  expect([...host.state.hooks.values()]).toEqual([{ over: true, problem: null }]);
});

it.each([
  [
    'reports',
    () => Promise.resolve({ ok: false, problem: 'No space left on device', resolving: null } as const),
  ],
  ['throws', () => Promise.reject(new HostFault('E_DISK', 'No space left on device'))],
])(
  'reads again what a step has left in its checkout where git has no room: it %s that',
  async (_how, leave) => {
    const results = new StepResults({} as never, { git: { ...noGit, leave } } as never);
    const over = {
      launch: { check: null, convergence: null, checkout: { conflict: null, merges: false } },
      prepared: { workspace: '/w' },
      entered: 'c1',
    };
    const faults: string[] = [];
    const watch = { unread: (fault: string) => void faults.push(fault), isStopped: () => faults.length > 2 };
    const reading = onceRepaired(
      () => results.left(over as never),
      watch,
      () => Promise.resolve(),
    );
    await expect(reading).rejects.toThrow('No space left on device');
    expect(faults).toEqual(Array.from({ length: 3 }, () => 'No space left on device'));
  },
);
