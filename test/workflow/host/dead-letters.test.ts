import { expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import { runFolder } from '../../../src/host/run-mail.ts';
import type { StepRunner } from '../../../src/host/runner/runner.ts';
import { exit } from '../../providers/samples.ts';
import { run } from '../../mail/host/hosted-mail.ts';
import { step, workflow } from '../files/samples.ts';
import { template } from '../machine/graph.ts';
import { begin, hostOf } from './hosted-run.ts';

const folder = `${runFolder(run)}/dead/make`;
const definition = workflow(
  step('make', [], { kind: 'command', argv: [template('false')], capabilities: null }),
);

/** A run whose only step has failed for good, on a disk that refuses its dead letter so many times. */
function failed(refusals: number, uncommittedPatch: () => Promise<Uint8Array | null>) {
  const project = begin(definition);
  let left = refusals;
  project.disk.before = ({ path }) => {
    if (!path.startsWith(folder) || left === 0) return;
    left -= 1;
    throw new MailroomError('E_DISK', 'cannot write the letter');
  };
  const started: string[] = [];
  let watched = 0;
  const runner: StepRunner = {
    start: ({ key }) => void started.push(key),
    stop: () => {},
    sweep: () => Promise.resolve(),
  };
  const host = hostOf(project, definition, false, { runner, uncommittedPatch }, () => void (watched += 1));
  host.look();
  host.ended(started[0]!, exit({ code: 1 }));
  host.look();
  expect(host.state.status).toBe('FAILED');
  return { project, host, watched: () => watched };
}

const patch = () => Promise.resolve(Buffer.from('patch'));
const turns = 5;

it('is written again after the disk has refused it, and its problem shows until it is', async () => {
  const { project, host } = failed(2, patch);
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
  const seen = [host.problem];
  for (const wake of [project.now + 2_000, null]) {
    project.now += 1_000;
    expect(host.look().wake).toBe(wake);
    seen.push(host.problem);
  }
  expect(seen).toEqual(['cannot write the letter', 'cannot write the letter', null]);
  expect(project.disk.list(folder)).toEqual(['difference.patch', 'letter.json']);
  expect(JSON.parse(String(project.disk.read(`${folder}/letter.json`, 10_000)))).toMatchObject({
    step: 'make',
    worker: 'command',
  });
});

it('is written at the end of the run, if not before', async () => {
  const { project, host } = failed(1, patch);
  await host.finished();
  expect([host.problem, project.disk.list(folder)]).toEqual([null, ['difference.patch', 'letter.json']]);
});

it('is reported where it could not be written when the run is over', async () => {
  const { host, watched } = failed(2, patch);
  const before = watched();
  await host.finished();
  expect([host.problem, watched() - before]).toEqual(['cannot write the letter', 1]);
});

it('is written without the differences where they cannot be had', async () => {
  const { project, host } = failed(0, () => Promise.reject(new Error('no space left for the index')));
  await host.finished();
  expect(project.disk.list(folder)).toEqual(['letter.json']);
  expect(host.problem).toBe('the dead letter of make lacks what was changed: no space left for the index');
});

it('holds at most 16 MiB of changes of one run, and says what is left out', async () => {
  const names = Array.from({ length: 3 }, (_, index) => `s${String(index)}`);
  const failing = names.map((name) => ({
    ...definition.body.steps[0]!,
    id: name,
    onFailure: 'continue' as const,
  }));
  const several = workflow(...failing);
  const project = begin(several);
  const started: string[] = [];
  const runner: StepRunner = {
    start: ({ key }) => void started.push(key),
    stop: () => {},
    sweep: () => Promise.resolve(),
  };
  const uncommittedPatch = () => Promise.resolve(Buffer.alloc(6 * 1024 * 1024, 'x'));
  const host = hostOf(project, several, false, { runner, uncommittedPatch }, () => {});
  host.look();
  for (const key of started) host.ended(key, exit({ code: 1 }));
  host.look();
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
  const letters = names.map((name) => `${runFolder(run)}/dead/${name}`);
  const kept = letters.filter((letter) => project.disk.list(letter)?.includes('difference.patch'));
  expect(kept).toHaveLength(2);
  const last = JSON.parse(String(project.disk.read(`${letters[2]!}/letter.json`, 10_000)));
  expect(last).toMatchObject({ changes: expect.stringContaining('left out') });
});
