import { expect, it } from 'vitest';
import { runState } from '../../../src/workflow/host/run-state.ts';
import type { RunHost } from '../../../src/workflow/host/run-host.ts';
import { step, workflow } from '../files/samples.ts';
import { template } from '../machine/graph.ts';
import { Crash, run, type Desk } from '../../mail/host/desk.ts';
import { begin, command, hostOf } from './run-desk.ts';

const roles = workflow(
  step('build', [], { kind: 'role', role: 'one', others: [], instructions: template('Build it.') }),
);

/** Looks, in turn with the mail, until the run is over. */
function follow(desk: Desk, host: RunHost, looks: () => void = () => {}): void {
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
  const desk = begin(roles);
  const host = hostOf(desk, roles, false);
  follow(desk, host);
  expect(host.state).toMatchObject({ status: 'SUCCEEDED' });
  expect(host.state.steps.get('build')).toMatchObject({ attempts: 1, result: { output: 'done it' } });
  expect(desk.turns).toBe(1);
  expect(desk.run.posted()).toEqual([]);
  expect(desk.run.answers()).toEqual([]);
});

it('shows the run as waiting while its role waits, and that it is not ours to run', () => {
  const desk = begin(roles);
  const host = hostOf(desk, roles, false);
  host.look();
  host.look();
  expect(host).toMatchObject({ desired: 0, running: 0, wantsMail: true });
  desk.disk.write(`.mailroom/runs/${run}/inbox/waits.json`, JSON.stringify(desk.run.posted()));
  host.look();
  expect(host.state.steps.get('build')?.phase).toMatchObject({ is: 'running', waits: true });
});

it('withdraws what a run that is cancelled has posted', () => {
  const desk = begin(roles);
  const host = hostOf(desk, roles, false);
  host.look();
  host.look();
  const [id = ''] = desk.run.posted();
  command(desk, 'c', 'cancel');
  follow(desk, host);
  expect(host.state.status).toBe('CANCELLED');
  expect(desk.run.posted()).toEqual([]);
  desk.settle();
  expect(desk.turns).toBe(0);
  expect(desk.host.state.threads.get(id)?.state).toBe('failed');
});

it('leaves a step in the mail when it is stopped', () => {
  const desk = begin(roles);
  const host = hostOf(desk, roles, false);
  host.look();
  host.look();
  host.stop();
  desk.settle();
  expect(desk.heard()).toEqual(['done it']);
  const next = hostOf(desk, roles, true);
  follow(desk, next);
  expect(next.state.status).toBe('SUCCEEDED');
  expect(desk.turns).toBe(1);
});

it('has a step done once, wherever the host of the run was killed', () => {
  let crashes = 0;
  for (let until = 1; ; until += 1) {
    const desk = begin(roles);
    const first = hostOf(desk, roles, false);
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
    const next = hostOf(desk, roles, true);
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

it('withdraws what a cancelled run has posted, wherever its host was killed', () => {
  let crashes = 0;
  for (let until = 1; ; until += 1) {
    const desk = begin(roles);
    const first = hostOf(desk, roles, false);
    first.look();
    first.look();
    const [id = ''] = desk.run.posted();
    command(desk, 'c', 'cancel');
    let operations = 0;
    desk.disk.before = () => {
      if ((operations += 1) === until) throw new Crash('killed');
    };
    const killed = endsByCrash(() => {
      for (let looks = 0; looks < 3; looks += 1) first.look();
    });
    desk.disk.before = null;
    if (!killed) break;
    crashes += 1;
    desk.disk.crash();
    desk.open();
    const isOver = runState(desk.disk, run).endedAt !== null;
    // Nobody goes on with a run that is over.
    if (!isOver) follow(desk, hostOf(desk, roles, true));
    desk.settle();
    const found = { until, state: desk.host.state.threads.get(id)?.state, posted: desk.run.posted() };
    expect(found).toEqual({ until, state: 'failed', posted: [] });
    expect(runState(desk.disk, run).status).toBe('CANCELLED');
  }
  expect(crashes).toBeGreaterThan(7);
});

function endsByCrash(act: () => void): boolean {
  try {
    act();
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(Crash);
    return true;
  }
}
