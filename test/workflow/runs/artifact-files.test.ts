import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { createRun } from '../../../src/workflow/files/run-folders.ts';
import { FoldedRuns } from '../../../src/workflow/runs/folded-runs.ts';
import { expectRun } from '../../../src/workflow/runs/stored-runs.ts';
import { runJournal } from '../../support/run-journal.ts';
import { World } from '../machine/world.ts';

const run = '01a2016e-6cf7-73bd-a8ca-4cdc87d98434';
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mailroom-artifact-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each([null, 'context'])('looking at an artifact makes no folder; context folder: %s', (contextDir) => {
  const workspace = join(root, 'workspace');
  mkdirSync(workspace);
  const world = new World('a : makes=report', { given: { run }, workflow: { contextDir } });
  world.done('a', { artifacts: ['report'] });
  const disk = new RealDisk(root);
  const { workflow } = world.rules;
  createRun(
    disk,
    { run, workflow: workflow.name, workspace, source: null, startedBy: 'up', person: null, startedAt: 1 },
    workflow,
  );
  const journal = runJournal(disk, run);
  journal.read();
  journal.append(world.history);
  journal.close();
  const before = readdirSync(root, { recursive: true });
  const stored = expectRun(disk, new FoldedRuns(disk), run);
  expect(
    stored
      .state()
      .steps.get('a')
      ?.artifacts.map(({ name }) => name),
  ).toEqual(['report']);
  expect(stored.artifact('a', 'report')?.files.size ?? 0).toBe(0);
  expect(stored.artifact('a', 'other')).toBe(null);
  expect(readdirSync(root, { recursive: true })).toEqual(before);
  expect(existsSync(join(workspace, 'context'))).toBe(false);
});
