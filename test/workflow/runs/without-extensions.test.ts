import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import type { BeginOptions } from '../../../src/project/definition/contracts.ts';
import type { Hooks } from '../../../src/project/definition/hooks.ts';
import { Project } from '../../../src/project/project.ts';
import { packageRoot } from '../../support/project.ts';

/* What a run needs of extensions is refused where no extension has it. */

let root = '';

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-without-')));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Begins a run of a workflow in a program with these hooks. */
async function begin(step: string, budget: BeginOptions['budget'], hooks: readonly Hooks[]) {
  const disk = new RealDisk(root);
  disk.write('mailroom.yaml', 'providers: { own: { command: ["true"] } }\nworkers: {}\n');
  disk.write('workflows/w.yaml', `name: w\nversion: "1"\ntimeout: 1m\nsteps: { a: ${step} }\n`);
  const { workflows } = Project.at(root, { packageRoot, environment: process.env, hooks });
  const workflow = await workflows.read('workflows/w.yaml', root);
  if (!workflow.checked.ok) throw new Error(JSON.stringify(workflow.checked.problems));
  return workflows.begin({
    workflow,
    definition: workflow.checked.value,
    parameters: {},
    context: {},
    workspace: root,
    budget,
    only: null,
    record: null,
    replay: null,
    watch: () => {},
  });
}

const away =
  '{ provider: own, instructions: Do it., capabilities: [READ], workspace: { worktree: step }, on: workers }';
const unlimited = { usd: null, tokens: null };

it('a budget in a currency', async () => {
  const limited = begin('{ command: ["true"] }', { ...unlimited, units: 5 }, []);
  await expect(limited).rejects.toMatchObject({
    code: 'E_USAGE',
    message: 'no extension counts msats, so it cannot limit a run',
  });
});

it('a step on workers, and nothing is left of the run', async () => {
  for (let round = 0; round < 2; round += 1)
    await expect(begin(away, unlimited, [])).rejects.toMatchObject({
      code: 'E_USAGE',
      message: 'a step of w runs on workers, which are not part of this program',
      hint: 'remove `on: workers` from it',
    });
  const { workflows } = Project.at(root, { packageRoot, environment: process.env });
  expect(workflows.runs()).toEqual([]);
});
