import { expect, it } from 'vitest';
import { listRuns } from '../../src/cli/actions/runs.ts';
import { listWorkflows } from '../../src/cli/actions/workflows.ts';
import type { Context } from '../../src/cli/context.ts';
import { showRun } from '../../src/cli/run-show.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import type { StoredRun } from '../../src/project/definition/contracts.ts';
import { compile } from '../../src/workflow/machine/rules.ts';
import { runRow } from '../../src/workflow/runs/summary.ts';
import type { Workflows } from '../../src/workflow/runs/workflows.ts';
import { graph, workflow } from '../workflow/machine/graph.ts';
import { World } from '../workflow/machine/world.ts';
import { FakeTerminal } from './fake-terminal.ts';
import type { WorkflowRow } from '../../src/documents/workflows.ts';

const steering = { name: 'red \u001b[31m', description: 'turned \u202e around' };

/** What the commands that list and show runs and workflows print of one whose author steers the terminal. */
async function printed(): Promise<string> {
  const definition = workflow(graph('only'), steering);
  const { state } = new World(definition);
  const terminal = new FakeTerminal(() => 0);
  const card = { run: 'r1', source: null, startedAt: 0 };
  const stored = { run: 'r1', card, definition, folder: '/f', workspace: '/w', state: () => state };
  const run = { ...stored, alive: () => Promise.resolve(false), pending: () => [] } as unknown as StoredRun;
  const read = () => Promise.resolve({ checked: { ok: true, value: definition, warnings: [] } });
  const identities = () => Promise.resolve([]);
  const workflows = {
    runs: () => [card],
    row: () => runRow(state, compile(definition)),
    alive: () => run.alive(),
    pending: () => run.pending(),
    find: () => run,
    list: () => ['w.yaml'],
    read,
    identities,
  };
  const context = { terminal, call: {}, place: () => ({ workflows, root: '/' }) } as unknown as Context;
  await listRuns(context, {});
  await showRun(context, 'r1', { at: null });
  await listWorkflows(context, {});
  return terminal.out;
}

it('the last run of a workflow is the newest of its file that can be read', async () => {
  const definition = workflow(graph('only'), { name: 'ship', version: '1.2.0' });
  const world = new World(definition);
  const terminal = new FakeTerminal(() => world.now + 3_000);
  const cards = ['broken', 'second', 'first'].map((run) => ({
    run,
    source: 'w.yaml',
    startedBy: 'up',
    person: null,
  }));
  const workflows = {
    list: () => ['other.yaml', 'w.yaml'],
    read: () => Promise.resolve({ checked: { ok: true, value: definition, warnings: [] } }),
    identities: () => Promise.resolve([{ file: 'w.yaml', tags: ['release', 'nightly'] }]),
    runs: () => [{ ...cards[0], run: 'elsewhere', source: null }, ...cards],
    row: (run: string) => {
      if (run === 'broken') throw new MailroomError('E_JOURNAL', 'it is damaged');
      return runRow(world.state, world.rules);
    },
    alive: () => Promise.resolve(false),
    pending: () => [],
  } as unknown as Workflows;
  const context = { terminal, place: () => ({ workflows, root: '/' }) } as unknown as Context;
  await listWorkflows(context, { json: true });
  const started = new Date(world.now).toISOString();
  const standing = { is: 'waiting', word: 'stopped', for: [], until: null };
  const times = { started_at: started, completed_at: null };
  const last = { run: 'r1', status: 'RUNNING', standing, alive: false, ...times };
  expect((JSON.parse(terminal.out) as WorkflowRow[]).map((row) => row.last_run)).toEqual([null, last]);
  terminal.out = '';
  await listWorkflows(context, {});
  expect(terminal.out.split('\n')).toEqual([
    'FILE        NAME  VERSION  STEPS  LAST RUN        TAGS              ABOUT',
    'other.yaml  ship  1.2.0        1',
    'w.yaml      ship  1.2.0        1  stopped 3s ago  release, nightly',
    '',
  ]);
});

it('the name of a workflow does not steer the terminal', async () => {
  const out = await printed();
  for (const steers of ['\u001b', '\u202e']) expect(out).not.toContain(steers);
  expect(out.match(/red \ufffd\[31m/g)).toHaveLength(3);
});
