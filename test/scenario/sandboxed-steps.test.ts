import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { TestProject } from '../support/project.ts';

const { bubblewrap } = await probeContainment();

let project: TestProject;
afterEach(() => project.remove());

/** Each tries to write what it may, and what it may not. */
const workflow = `
name: held
version: "1"
timeout: 2m
steps:
  reads:
    worker: CUSTOM
    capabilities: [READ]
    instructions: |
      echo plan > plan.md
      mkdir -p out/deep && echo deep > out/deep/file.txt
      touch forbidden.txt 2>/dev/null && exit 2
      test -r kept.txt
    outputs: [{ name: plan, path: plan.md, required: true }, { name: out, path: out }, { name: none, path: none.txt }]
  edits:
    worker: CUSTOM
    capabilities: [READ, EDIT]
    depends_on: [reads]
    instructions: |
      echo edited > edited.txt
      touch mailroom.yaml 2>/dev/null && exit 2
      touch .mailroom/forged 2>/dev/null && exit 2
      true
  looks:
    command: [touch, looked.txt]
    capabilities: [READ]
    depends_on: [edits]
    on_failure: continue
  makes:
    command: [touch, made.txt]
    depends_on: [looks]
`;

const statuses = (stdout: string) => {
  const { steps } = JSON.parse(stdout) as { steps: Record<string, { status: string }> };
  return Object.fromEntries(Object.entries(steps).map(([id, { status }]) => [id, status]));
};

const files = {
  'mailroom.yaml': 'sandbox: required\ntrail: off\n',
  'workflows/held.yaml': workflow,
  'kept.txt': 'kept\n',
};

it('a required sandbox holds scripts and commands to their capabilities, or nothing starts', async () => {
  project = new TestProject(files);
  const ran = await project.run(['run', 'held', '--json']);
  const here = (name: string) => existsSync(join(project.root, name));
  const made = ['edited.txt', 'forbidden.txt', 'looked.txt', 'made.txt', 'none.txt'].filter(here);
  if (!bubblewrap.works) {
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('sandbox: required, but there is none');
    expect(made).toEqual([]);
    return;
  }
  expect(statuses(ran.stdout)).toEqual({
    reads: 'SUCCEEDED',
    edits: 'SUCCEEDED',
    looks: 'FAILED',
    makes: 'SUCCEEDED',
  });
  // What a step owed and did not make is not there.
  expect(made).toEqual(['edited.txt', 'made.txt']);
  expect(project.read('plan.md')).toBe('plan\n');
  expect(project.read('out/deep/file.txt')).toBe('deep\n');
});
