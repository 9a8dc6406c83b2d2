import { writeSealed } from '../../../src/host/seal.ts';
import { expect, it } from 'vitest';
import { runState } from '../../../src/workflow/host/run-state.ts';
import type { RunHost } from '../../../src/workflow/host/run-host.ts';
import { step, workflow } from '../files/samples.ts';
import { template } from '../machine/graph.ts';
import { Crash, run, type HostedMail } from '../../mail/host/hosted-mail.ts';
import { begin, command, hostOf } from './hosted-run.ts';

const roles = workflow(
  step('build', [], { kind: 'role', role: 'one', others: [], instructions: template('Build it.') }),
);

/** Looks, in turn with the mail, until the run is over. */
function follow(project: HostedMail, host: RunHost, looks: () => void = () => {}): void {
  for (let round = 0; host.state.endedAt === null; round += 1) {
    if (round > 100) throw new Error('the run does not end');
    looks();
    host.look();
    project.disk.before = null;
    project.settle();
    project.now += 1_000;
  }
  looks();
  host.look();
}

it('posts a step once, takes its answer and forgets it', () => {
  const project = begin(roles);
  const host = hostOf(project, roles, false);
  follow(project, host);
  expect(host.state).toMatchObject({ status: 'SUCCEEDED' });
  expect(host.state.steps.get('build')).toMatchObject({ attempts: 1, result: { output: 'done it' } });
  expect(project.turns).toBe(1);
  expect(project.run.posted()).toEqual([]);
  expect(project.run.answers()).toEqual([]);
});

it('shows the run as waiting while its role waits, and that it is not ours to run', () => {
  const project = begin(roles);
  const host = hostOf(project, roles, false);
  host.look();
  host.look();
  expect(host).toMatchObject({ desired: 0, running: 0, wantsMail: true });
  writeSealed(project.disk, `.mailroom/runs/${run}/inbox/waits.json`, JSON.stringify(project.run.posted()));
  host.look();
  expect(host.state.steps.get('build')?.phase).toMatchObject({ is: 'running', waits: true });
});

it('withdraws what a run that is cancelled has posted', () => {
  const project = begin(roles);
  const host = hostOf(project, roles, false);
  host.look();
  host.look();
  const [id = ''] = project.run.posted();
  command(project, 'c', 'cancel');
  follow(project, host);
  expect(host.state.status).toBe('CANCELLED');
  expect(project.run.posted()).toEqual([]);
  project.settle();
  expect(project.turns).toBe(0);
  expect(project.host.state.threads.get(id)?.state).toBe('failed');
});

it('leaves a step in the mail when it is stopped', () => {
  const project = begin(roles);
  const host = hostOf(project, roles, false);
  host.look();
  host.look();
  host.stop();
  project.settle();
  expect(project.heard()).toEqual(['done it']);
  const next = hostOf(project, roles, true);
  follow(project, next);
  expect(next.state.status).toBe('SUCCEEDED');
  expect(project.turns).toBe(1);
});

it('has a step done once, wherever the host of the run was killed', () => {
  let crashes = 0;
  for (let until = 1; ; until += 1) {
    const project = begin(roles);
    const first = hostOf(project, roles, false);
    let operations = 0;
    const count = () => {
      if ((operations += 1) === until) throw new Crash('killed');
    };
    try {
      follow(project, first, () => (project.disk.before = count));
      break;
    } catch (error) {
      expect(error).toBeInstanceOf(Crash);
      crashes += 1;
    }
    project.disk.before = null;
    project.disk.crash();
    project.open();
    const next = hostOf(project, roles, true);
    follow(project, next);
    project.settle();
    const found = {
      until,
      status: next.state.status,
      turns: project.turns,
      posted: project.run.posted(),
      heard: project.heard(),
    };
    expect(found).toEqual({ until, status: 'SUCCEEDED', turns: 1, posted: [], heard: [] });
  }
  expect(crashes).toBeGreaterThan(7);
});

it('withdraws what a cancelled run has posted, wherever its host was killed', () => {
  let crashes = 0;
  for (let until = 1; ; until += 1) {
    const project = begin(roles);
    const first = hostOf(project, roles, false);
    first.look();
    first.look();
    const [id = ''] = project.run.posted();
    command(project, 'c', 'cancel');
    let operations = 0;
    project.disk.before = () => {
      if ((operations += 1) === until) throw new Crash('killed');
    };
    const killed = endsByCrash(() => {
      for (let looks = 0; looks < 3; looks += 1) first.look();
    });
    project.disk.before = null;
    if (!killed) break;
    crashes += 1;
    project.disk.crash();
    project.open();
    const isOver = runState(project.disk, run).endedAt !== null;
    // Nobody goes on with a run that is over.
    if (!isOver) follow(project, hostOf(project, roles, true));
    project.settle();
    const found = { until, state: project.host.state.threads.get(id)?.state, posted: project.run.posted() };
    expect(found).toEqual({ until, state: 'failed', posted: [] });
    expect(runState(project.disk, run).status).toBe('CANCELLED');
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

it.each(['', '{"kind":"step","role":"one"}\n'])(
  'sends a step as the run has it where another program has replaced what was sent by `%s`',
  (replaced) => {
    const project = begin(roles);
    const first = hostOf(project, roles, false);
    first.look();
    first.look();
    const [id = ''] = project.run.posted();
    const path = `.mailroom/runs/${run}/posted/${id}.json`;
    const sent = project.disk.read(path, 10_000)?.toString();
    project.disk.remove(`.mailroom/incoming/${id}.step.json`);
    project.disk.plant(path, replaced);
    const second = hostOf(project, roles, true);
    second.look();
    second.look();
    expect(project.disk.read(path, 10_000)?.toString()).toBe(sent);
    follow(project, second);
    expect(second.state.status).toBe('SUCCEEDED');
    expect(project.turns).toBe(1);
  },
);
