import { expect, it } from 'vitest';
import { listRuns } from '../../src/cli/actions/runs.ts';
import { listWorkflows } from '../../src/cli/actions/workflows.ts';
import type { Context } from '../../src/cli/context.ts';
import { showRun } from '../../src/cli/run-show.ts';
import type { StoredRun } from '../../src/operations/runs/services.ts';
import { graph, workflow } from '../workflow/machine/graph.ts';
import { World } from '../workflow/machine/world.ts';
import { FakeTerminal } from './fake-terminal.ts';

const steering = { name: 'red \u001b[31m', description: 'turned \u202e around' };

/** What the commands that list and show runs and workflows print of one whose author steers the terminal. */
async function printed(): Promise<string> {
  const definition = workflow(graph('only'), steering);
  const { state } = new World(definition);
  const terminal = new FakeTerminal(() => 0);
  const card = { run: 'r1', source: null, startedAt: 0 };
  const stored = { run: 'r1', card, definition, folder: '/f', workspace: '/w', state: () => state };
  const run = { ...stored, alive: () => Promise.resolve(false) } as unknown as StoredRun;
  const read = () => Promise.resolve({ checked: { ok: true, value: definition, warnings: [] } });
  const identities = () => Promise.resolve([]);
  const workflows = {
    runs: () => [card],
    run: () => run,
    find: () => run,
    list: () => ['w.yaml'],
    read,
    identities,
  };
  const context = { terminal, services: {}, place: () => ({ workflows, root: '/' }) } as unknown as Context;
  await listRuns(context, false);
  await showRun(context, 'r1', { asJson: false, at: null });
  await listWorkflows(context, false);
  return terminal.out;
}

it('the name of a workflow does not steer the terminal', async () => {
  const out = await printed();
  for (const steers of ['\u001b', '\u202e']) expect(out).not.toContain(steers);
  expect(out.match(/red \ufffd\[31m/g)).toHaveLength(3);
});
