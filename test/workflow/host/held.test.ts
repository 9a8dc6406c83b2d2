import { expect, it } from 'vitest';
import { HostFault } from '../../../src/kernel/contained.ts';
import { diskError } from '../../../src/disk/disk.ts';
import { Checkouts, type Begun } from '../../../src/workflow/host/checkouts.ts';
import type { Launch } from '../../../src/workflow/machine/launch.ts';
import { exit } from '../../providers/samples.ts';
import { graph, workflow } from '../machine/graph.ts';
import { noGit } from './no-git.ts';
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
