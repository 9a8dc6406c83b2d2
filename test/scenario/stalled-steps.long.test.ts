import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';

let project: TestProject | null = null;

afterEach(() => {
  const left = project?.survivors() ?? [];
  project?.remove();
  project = null;
  if (left.length > 0) throw new Error(`still running: ${left.join(', ')}`);
});

/** A script that is silent the first time, and finishes at once the second time. */
const worker = `
name: sample
version: "1"
timeout: 5m
steps:
  build:
    worker: CUSTOM
    capabilities: [EDIT]
    idle_timeout: 2s
    outputs: [{ name: log, path: log.txt }]
    instructions: |
      if test -f log.txt; then exit 0; fi
      echo compiling | tee log.txt
      sleep 600
`;

async function run(more: string) {
  project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'work.yaml': worker + more });
  const { code, stdout } = await project.run(['run', 'work.yaml', '--json']);
  const document = JSON.parse(stdout) as { status: string; steps: Record<string, Record<string, unknown>> };
  return { code, place: project, status: document.status, build: document.steps['build'] ?? {} };
}

describe('a step whose worker prints nothing for its `idle_timeout`', () => {
  it('fails with the reason, and is not tried again with `on_stall: fail`', async () => {
    const { code, build } = await run('    on_stall: fail\n    on_failure: retry\n    max_retries: 3\n');
    expect(code).toBe(1);
    expect(build).toMatchObject({
      status: 'FAILED',
      attempts: 1,
      error_code: 'E_STALLED',
      reason: 'it printed nothing for 2s',
    });
  });

  it('is tried again as after its timeout', async () => {
    const { code, build } = await run('    on_failure: retry\n    max_retries: 1\n');
    expect(code).toBe(0);
    expect(build).toMatchObject({ status: 'SUCCEEDED', attempts: 2 });
  });

  it('is incomplete with `on_stall: incomplete`, and what comes after it has its outputs', async () => {
    const next = '  next: { depends_on: [build], command: [test, -s, log.txt] }\n';
    const { code, status, build, place } = await run(`    on_stall: incomplete\n${next}`);
    expect({ code, status }).toEqual({ code: 0, status: 'SUCCEEDED' });
    expect(build).toMatchObject({ status: 'INCOMPLETE', reason: 'it printed nothing for 2s' });
    expect(place.read('context/build/log/log.txt')).toBe('compiling\n');
  });

  it('runs again until its check finds it complete', async () => {
    const check = '    completion_check: { command: ["true"] }\n    max_iterations: 3\n';
    const { build } = await run(`    on_stall: incomplete\n${check}`);
    expect(build).toMatchObject({ status: 'SUCCEEDED', iterations: 2, attempts: 2 });
  });
});
