import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { ChildProcess } from 'node:child_process';
import { finished, said, TestProject } from '../support/project.ts';

/*
 * Runs at once, through the real program: of different workflows any number, of one workflow as many as it says.
 */

let project: TestProject;
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  project.remove();
});

/** A workflow that hands an artifact over a gate, by an input and by its path. */
const workflow = (name: string, more = '') => `name: ${name}
version: '1'
timeout: 5m
${more}
steps:
  make: { command: [sh, -c, 'mkdir -p ${name}-out; echo ${name} > ${name}-out/x'], outputs: [{ name: out, path: ${name}-out }] }
  ask: { depends_on: [make], gate: { message: 'Go on?' } }
  use:
    depends_on: [make, ask]
    inputs: [{ from: make, artifact: out, as: ${name}-in }]
    command: [cmp, ${name}-in/x, '\${{ steps.make.artifacts.out }}/x']
`;

interface Status {
  readonly runs: readonly {
    readonly run: string;
    readonly workflow: string;
    readonly state: string;
    readonly why: { readonly code: string; readonly cause: { readonly record: string } | null } | null;
  }[];
}

interface Shown {
  readonly status: string;
  readonly steps: Readonly<Record<string, { readonly attempts: number } | undefined>>;
}

const status = async () => JSON.parse((await project.run(['status', '--json'])).stdout) as Status;

/** Starts a run, and resolves when its gate asks, to its id and its end. */
async function started(...args: string[]) {
  const child = project.start(args);
  children.push(child);
  const end = finished(child);
  await said(child, 'ask asks');
  const run = (await status()).runs.find(({ workflow: name }) => args.includes(name))?.run ?? '';
  return { child, end, run };
}

it('of different workflows have folders of their own, also after one was resumed', async () => {
  project = new TestProject({ 'workflows/a.yaml': workflow('a'), 'workflows/b.yaml': workflow('b') });
  const a = await started('run', 'a');
  const b = await started('run', 'b');
  expect(project.read('context/make/out/x')).toBe('a\n');
  const beside = (run: string) => `.mailroom/runs/${run}/context`;
  expect(project.read(`${beside(b.run)}/make/out/x`)).toBe('b\n');
  expect((await project.run(['show', b.run])).stdout).toContain(
    `artifacts  ${join(project.root, beside(b.run))}\n`,
  );

  // The next run takes the folder over; what the first has left moves, and is found by its resume.
  a.child.kill('SIGKILL');
  await a.end;
  project.write('workflows/c.yaml', workflow('c'));
  const c = await started('run', 'c');
  expect(project.read('context/make/out/x')).toBe('c\n');
  const again = project.start(['resume', a.run]);
  children.push(again);
  const over = finished(again);
  const approve = (run: string) => project.run(['approve', run, 'ask']);
  await expect.poll(async () => (await approve(a.run)).code).toBe(0);
  // It would take the folder back if the others had ended.
  expect(await over).toMatchObject({ code: 0 });
  for (const { run, end } of [b, c]) {
    expect(await approve(run)).toMatchObject({ code: 0 });
    expect(await end).toMatchObject({ code: 0 });
  }
  expect(project.read(`${beside(a.run)}/make/out/x`)).toBe('a\n');
  expect(project.read('context/make/out/x')).toBe('c\n');
  expect((await project.run(['resume', '--explain', b.run])).stdout).not.toContain('runs again');
});

it('of one workflow are refused, or wait, and say for what', async () => {
  project = new TestProject({
    'workflows/a.yaml': workflow('a'),
    'workflows/w.yaml': workflow('w', 'runs: { otherwise: wait }'),
    'other/file': '',
  });
  const a = await started('run', 'a');
  expect(await project.run(['run', 'a'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `E_LOCKED: the run ${a.run.slice(-6)} of \`a\` is in progress, and \`runs\` of the workflow allows 1 at once`,
    ) as string,
  });
  const elsewhere = await started('run', 'a', '--workspace', 'other');
  const w = await started('run', 'w');

  const waits = project.start(['run', 'w']);
  children.push(waits);
  const end = finished(waits);
  const queued = async () => (await status()).runs.find(({ why }) => why?.code === 'other_run');
  await expect.poll(queued).toMatchObject({
    workflow: 'w',
    state: 'waiting',
    why: { cause: { record: w.run } },
  });
  const { run = '' } = (await queued()) ?? {};
  expect((await project.run(['why', run])).stdout).toMatch(
    `the run waits until the run ${w.run.slice(-6)} has ended.\n  state    waiting\n`,
  );
  const shown = await project.run(['show', run.slice(-6)]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(
    `run ${run}\nworkflow   w (workflows/w.yaml)\nstatus     PENDING: the run waits until the run ${w.run.slice(-6)} has ended\n`,
  );
  expect(JSON.parse((await project.run(['show', run, '--json'])).stdout)).toMatchObject({
    run,
    workflow: 'w',
    status: 'PENDING',
    reason: `the run waits until the run ${w.run.slice(-6)} has ended`,
    steps: {},
  });
  // Until then there is no run, and nothing of it is left when its process is killed.
  expect((await project.run(['runs', '--json'])).stdout).not.toContain(run);
  waits.kill('SIGKILL');
  await end;
  expect(await queued()).toBeUndefined();

  const next = project.start(['run', 'w']);
  children.push(next);
  const asks = said(next, 'ask asks');
  await expect.poll(queued).toMatchObject({ workflow: 'w' });
  w.child.kill('SIGKILL');
  await w.end;
  await asks;
  expect((await project.run(['resume', a.run])).stderr).toContain('another process works on the run');
  a.child.kill('SIGKILL');
  elsewhere.child.kill('SIGKILL');
  await Promise.all([a.end, elsewhere.end]);
});

it.each([
  ['a place', 'runs: { otherwise: wait }'],
  ['the folder that its file names', 'context_dir: made\nruns: { at_once: 2, otherwise: wait }'],
])('that waits for %s is cancelled by its id, and starts no step', async (_for, more) => {
  project = new TestProject({ 'workflows/w.yaml': workflow('w', more) });
  const first = await started('run', 'w');
  const waits = project.start(['run', 'w']);
  children.push(waits);
  const end = finished(waits);
  const queued = async () => (await status()).runs.find(({ why }) => why?.code === 'other_run')?.run;
  await expect.poll(queued).toBeTypeOf('string');
  const run = (await queued()) ?? '';
  expect(await project.run(['cancel', run.slice(-8)])).toMatchObject({
    code: 0,
    stdout: `cancel ${run}: done\n`,
  });
  expect(await end).toMatchObject({
    code: 130,
    stdout: expect.stringContaining(`run ${run} CANCELLED`) as string,
  });
  const shown = JSON.parse((await project.run(['show', run, '--json'])).stdout) as Shown;
  expect([shown.status, shown.steps.make?.attempts ?? 0]).toEqual(['CANCELLED', 0]);
  // The other run has not noticed.
  expect((await status()).runs.map((each) => each.run)).toEqual([first.run]);
  expect(await project.run(['approve', first.run, 'ask'])).toMatchObject({ code: 0 });
  expect(await first.end).toMatchObject({ code: 0 });
});

it('that waits to be resumed is cancelled by its id, and starts no step', async () => {
  project = new TestProject({ 'workflows/w.yaml': workflow('w', 'runs: { otherwise: wait }') });
  const first = await started('run', 'w');
  expect(await project.run(['cancel', first.run])).toMatchObject({ code: 0 });
  expect(await first.end).toMatchObject({ code: 130 });
  const second = await started('run', 'w');
  const waits = project.start(['resume', first.run]);
  children.push(waits);
  const end = finished(waits);
  const queued = async () => (await status()).runs.find(({ why }) => why?.code === 'other_run')?.run;
  await expect.poll(queued).toBe(first.run);
  expect(await project.run(['cancel', first.run])).toMatchObject({
    code: 0,
    stdout: `cancel ${first.run}: done\n`,
  });
  const { code, stdout } = await end;
  expect([code, /[▸?] \w+/u.exec(stdout)]).toEqual([130, null]);
  expect((await status()).runs.map(({ run }) => run)).toEqual([second.run]);
  second.child.kill('SIGKILL');
  await second.end;
});

it('of a trigger wait, and one that a file names waits for its folder', async () => {
  project = new TestProject({
    'mailroom.yaml': 'trail: off\n',
    'workflows/a.yaml': workflow('a', 'context_dir: made\ntriggers: { hook: { files: [go] } }'),
    'workflows/x.yaml': workflow('x', 'context_dir: made\nruns: { otherwise: wait }'),
  });
  const up = project.start(['up', '--plain']);
  children.push(up);
  const ended = finished(up);
  await said(up, 'only workflows are started');
  const x = await started('run', 'x');
  project.write('go', '1');
  const of = (name: string) => async () => (await status()).runs.find((each) => each.workflow === name);
  const behind = { state: 'waiting', why: { code: 'other_run', cause: { record: x.run } } };
  await expect.poll(of('a')).toMatchObject(behind);
  const { run = '' } = (await of('a')()) ?? {};
  up.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
  expect(await of('a')()).toBeUndefined();

  const again = project.start(['up', '--plain']);
  children.push(again);
  const over = finished(again);
  await expect.poll(of('a')).toMatchObject({ run, ...behind });
  expect(await project.run(['approve', x.run, 'ask'])).toMatchObject({ code: 0 });
  expect(await x.end).toMatchObject({ code: 0 });
  await expect.poll(of('a')).toMatchObject({ run, why: { code: 'waiting_for_approval' } });
  expect(project.read('made/make/out/x')).toBe('a\n');
  again.kill('SIGTERM');
  expect(await over).toMatchObject({ code: 0 });
});
