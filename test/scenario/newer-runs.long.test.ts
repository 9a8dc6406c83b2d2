import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { finished, said, TestProject } from '../support/project.ts';

/*
 * A newer run cancels older ones of its workflow, through the real program.
 */

let project: TestProject;
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  project.remove();
});

const workflow = (more = 'runs: { otherwise: cancel_older }', step = 'gate: { message: Go on? }') => `name: w
version: '1'
timeout: 5m
${more}
steps:
  ask: { ${step} }
finally:
  tidy: { command: [sh, -c, 'echo "$MAILROOM_RUN begins" >> tidied; while [ -e slow ]; do sleep 0.05; done; echo "$MAILROOM_RUN ends" >> tidied'] }
`;

interface Status {
  readonly runs: readonly {
    readonly run: string;
    readonly state: string;
    readonly why: { readonly code: string; readonly reason: string } | null;
  }[];
}

const runs = async () => (JSON.parse((await project.run(['status', '--json'])).stdout) as Status).runs;
const shown = async (run: string) =>
  JSON.parse((await project.run(['show', run, '--json'])).stdout) as {
    readonly status: string;
    readonly reason: string | null;
  };
const waiting = async () => (await runs()).filter(({ why }) => why?.code === 'other_run');
const quick = () => rmSync(join(project.root, 'slow'));
const end = (run: string) => run.slice(-6);

function launch(...args: string[]) {
  const child = project.start(args);
  children.push(child);
  return { child, over: finished(child) };
}

async function started(...args: string[]) {
  const { child, over } = launch(...args);
  await said(child, 'ask asks');
  const run = (await runs()).find(({ state, why }) => state === 'waiting' && why?.code !== 'other_run')?.run;
  return { child, over, run: run ?? '' };
}

it('cancels one at a gate, waits for its finally steps, and says so', async () => {
  project = new TestProject({ 'workflows/w.yaml': workflow(), slow: '' });
  const a = await started('run', 'w');
  const b = launch('run', 'w');
  const asks = said(b.child, 'ask asks');
  await expect.poll(waiting).toHaveLength(1);
  const run = (await waiting())[0]?.run ?? '';
  await expect.poll(() => project.read('tidied')).toBe(`${a.run} begins\n`);
  const text = `the run waits until the run ${end(a.run)}, which it has cancelled, has ended`;
  expect((await project.run(['why', run])).stdout).toContain(text);
  expect((await project.run(['show', run])).stdout).toContain(text);
  quick();
  expect(await a.over).toMatchObject({ code: 130 });
  await asks;
  expect(project.read('tidied')).toBe(`${a.run} begins\n${a.run} ends\n`);
  expect(await shown(a.run)).toMatchObject({
    status: 'CANCELLED',
    reason: `cancelled by the newer run ${end(run)}`,
  });
  // The older one is not continued against the newer.
  expect((await project.run(['resume', a.run])).stderr).toContain(
    `E_LOCKED: the newer run ${end(run)} of \`w\` is in progress`,
  );
  expect(await project.run(['approve', run, 'ask'])).toMatchObject({ code: 0 });
  expect(await b.over).toMatchObject({ code: 0 });
});

it('cancels those that wait, and never a newer one', async () => {
  project = new TestProject({ 'workflows/w.yaml': workflow(), slow: '' });
  const a = await started('run', 'w');
  const b = launch('run', 'w');
  await expect.poll(waiting).toHaveLength(1);
  const second = (await waiting())[0]?.run ?? '';
  const c = launch('run', 'w');
  const asks = said(c.child, 'ask asks');
  // It never began: it starts nothing, also not finally.
  expect(await b.over).toMatchObject({ code: 130 });
  quick();
  expect(await a.over).toMatchObject({ code: 130 });
  await asks;
  const [third] = await runs();
  expect(await shown(second)).toMatchObject({
    status: 'CANCELLED',
    reason: `cancelled by the newer run ${end(third?.run ?? '')}`,
  });
  expect(project.read('tidied')).toBe(`${a.run} begins\n${a.run} ends\n`);
  c.child.kill('SIGKILL');
  await c.over;
  // Nothing is left of the third but a run without a process, which is in nothing's way.
  const d = await started('run', 'w');
  expect(await project.run(['approve', d.run, 'ask'])).toMatchObject({ code: 0 });
  expect(await d.over).toMatchObject({ code: 0 });
});

it('of several at once cancels the oldest', async () => {
  project = new TestProject({
    'workflows/w.yaml': workflow('runs: { at_once: 2, otherwise: cancel_older }'),
  });
  const a = await started('run', 'w');
  const b = launch('run', 'w');
  await said(b.child, 'ask asks');
  const c = launch('run', 'w');
  await said(c.child, 'ask asks');
  expect(await a.over).toMatchObject({ code: 130 });
  expect(await runs()).toHaveLength(2);
  expect([b.child.exitCode, c.child.exitCode]).toEqual([null, null]);
});

it('is given once, whoever kills the newer one, and ends nothing that runs finally', async () => {
  project = new TestProject({ 'workflows/w.yaml': workflow(), slow: '' });
  const a = await started('run', 'w');
  for (let time = 0; time < 2; time += 1) {
    const killed = launch('run', 'w');
    await expect.poll(waiting).toHaveLength(1);
    await expect.poll(() => project.read('tidied')).toBe(`${a.run} begins\n`);
    killed.child.kill('SIGKILL');
    await killed.over;
  }
  quick();
  expect(await a.over).toMatchObject({ code: 130 });
  expect(project.read('tidied')).toBe(`${a.run} begins\n${a.run} ends\n`);
});

it('of a trigger cancels the one in progress, and a manual one does', async () => {
  project = new TestProject({
    'mailroom.yaml': 'trail: off\nsandbox: off\n',
    'workflows/w.yaml': workflow(
      'runs: { otherwise: cancel_older }\ntriggers: { hook: { files: [go], debounce: 1ms } }',
    ),
  });
  const up = launch('up', '--plain');
  await said(up.child, 'only workflows are started');
  const going = async () => (await runs()).find(({ why }) => why?.code === 'waiting_for_approval')?.run ?? '';
  project.write('go', '1');
  await expect.poll(going).not.toBe('');
  const first = await going();
  project.write('go', '12');
  await expect.poll(async () => (await shown(first)).status).toBe('CANCELLED');
  await expect.poll(going).not.toBe('');
  const second = await going();
  expect(await shown(first)).toMatchObject({ reason: `cancelled by the newer run ${end(second)}` });
  const manual = launch('run', 'w');
  await said(manual.child, 'ask asks');
  expect((await shown(second)).status).toBe('CANCELLED');
  up.child.kill('SIGTERM');
  expect(await up.over).toMatchObject({ code: 0 });
});
