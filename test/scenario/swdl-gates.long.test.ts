import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { finished, said, type TestProject } from '../support/project.ts';
import { stagesProject, type StagePlays } from '../support/stages.ts';

/*
 * What gates do to stages: through the real program, the agents are programs of the test.
 */

let project: TestProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

function made(stages: string, plays: StagePlays, more: Readonly<Record<string, string>> = {}): TestProject {
  project = stagesProject(`workflow: { id: w, name: W, version: 1.0.0 }\n${stages}`, plays, more);
  return project;
}

interface Stage {
  readonly status: string;
  readonly attempt?: number;
  readonly outputs?: unknown;
  readonly reason?: string;
}

function recordOf(run: TestProject): { status: string; stages: Record<string, Stage> } {
  const [id = ''] = run.list('.mailroom/runs');
  return (parse(run.read(`.mailroom/runs/${id}/run.yaml`)) as { run: ReturnType<typeof recordOf> }).run;
}

function statuses(run: TestProject): Record<string, string> {
  return Object.fromEntries(Object.entries(recordOf(run).stages).map(([id, { status }]) => [id, status]));
}

function promptOf(run: TestProject, stage: string, key = '1.1'): string {
  const [id = ''] = run.list('.mailroom/runs');
  return run.read(`.mailroom/runs/${id}/steps/${stage}/${key}/prompt.md`);
}

const agent = (id: string) => `    roles: { primary: { artifact: "agent:${id}" } }\n`;

describe('a gate', () => {
  test.each([
    ['halt', 1, { ask: 'timed_out', after: 'skipped' }],
    ['auto_approve', 0, { ask: 'success', after: 'success' }],
    ['reject', 1, { ask: 'timed_out', after: 'skipped' }],
  ])('that nobody answers: %s', async (policy, code, expected) => {
    const run = made(
      `
stages:
  - id: ask
    type: gate
    gate: { kind: manual_approval, timeout: 100ms, on_timeout: ${policy} }
  - id: after
    depends_on: [ask]
${agent('a')}`,
      {},
    );
    expect((await run.run(['run', 'workflows/w.yaml'])).code).toBe(code);
    expect(statuses(run)).toEqual(expected);
  });

  test('that no one answered says permanently that no person approved it', async () => {
    const run = made(
      `
stages:
  - id: ask
    type: gate
    gate: { kind: manual_approval, timeout: 100ms, on_timeout: auto_approve }
  - id: after
    depends_on: [ask]
    roles: { primary: { artifact: "agent:a", instructions: "Opened by \${{ stages.ask.outputs.by }}." } }
`,
      {},
    );
    const why = 'approved automatically: no decision in time';
    const ran = await run.run(['run', 'workflows/w.yaml']);
    expect(ran.stderr + ran.stdout).toContain(why);
    expect(recordOf(run).stages['ask']).toMatchObject({
      status: 'success',
      outputs: { by: 'auto_approve', comment: null },
      reason: why,
    });
    expect((await run.run(['show', run.list('.mailroom/runs')[0]!])).stdout).toContain(why);
    expect(promptOf(run, 'after')).toContain('Opened by auto_approve.');
  });

  test('passes on who approved it and what it was handed; a recorded answer is asked for no more', async () => {
    const run = made(
      `
stages:
  - id: draft
${agent('a')}    outputs: { text: { type: string } }
  - id: ask
    depends_on: [draft]
    type: gate
    gate: { kind: manual_approval, message: "Publish?" }
  - id: publish
    depends_on: [ask]
    roles: { primary: { artifact: "agent:a", instructions: "Approved: \${{ stages.ask.outputs.comment }}." } }
`,
      { draft: "return { text: 'the draft' };" },
    );
    const child = run.start(['run', 'workflows/w.yaml']);
    await said(child, 'mailroom approve');
    child.kill('SIGKILL');
    await finished(child);
    const [id = ''] = run.list('.mailroom/runs');
    expect((await run.run(['status'])).stdout).toContain('ask asks: Publish?');
    await run.run(['approve', id, 'ask', '--comment', 'well done']);
    const status = (await run.run(['status'])).stdout;
    expect(status).toContain('ask: `approve` by ');
    expect(status).not.toContain('asks: Publish?');
    expect((await run.run(['resume', id])).code).toBe(0);
    expect(promptOf(run, 'publish')).toMatch(/Approved: well done\.[^]*handed over by draft[^]*the draft/);
  });

  test('that is rejected closes what comes after it, and nothing else', async () => {
    const run = made(
      `
stages:
  - id: ask
    type: gate
    gate: { kind: manual_approval }
  - id: after
    depends_on: [ask]
${agent('a')}
  - id: other
${agent('a')}`,
      {},
    );
    const child = run.start(['run', 'workflows/w.yaml']);
    const ran = finished(child);
    await said(child, 'mailroom approve');
    const [id = ''] = run.list('.mailroom/runs');
    expect((await run.run(['reject', id, 'ask'])).code).toBe(0);
    expect((await ran).code).toBe(1);
    expect(statuses(run)).toEqual({ ask: 'failed', after: 'skipped', other: 'success' });
  });

  test('with choices and fields records the answer, and later stages read it', async () => {
    const run = made(
      `
stages:
  - id: ask
    type: gate
    gate:
      kind: manual_approval
      choices: [approve, changes, reject]
      fields: { risk: { type: string, enum: [low, high], required: true } }
  - id: ship
    depends_on: [ask]
    condition: "\${{ stages.ask.outputs.choice == 'approve' }}"
${agent('a')}
  - id: fix
    depends_on: [ask]
    condition: "\${{ stages.ask.outputs.choice == 'changes' }}"
    roles: { primary: { artifact: "agent:a", instructions: "Risk \${{ stages.ask.outputs.fields.risk }}." } }
`,
      {},
    );
    const child = run.start(['run', 'workflows/w.yaml']);
    const ran = finished(child);
    await said(child, "--choice 'approve|changes|reject' --field 'risk=low|high'");
    const refused = await run.run(['approve', '--choice', 'changes', '--field', 'risk=medium']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('"low", "high"') as string });
    await run.run(['approve', '--choice', 'changes', '--field', 'risk=high', '--as', 'ada']);
    expect((await ran).code).toBe(0);
    expect(statuses(run)).toEqual({ ask: 'success', ship: 'skipped', fix: 'success' });
    expect(recordOf(run).stages['ask']?.outputs).toEqual({
      by: 'ada',
      comment: null,
      choice: 'changes',
      fields: { risk: 'high' },
    });
    expect(promptOf(run, 'fix')).toContain('Risk high.');
  });
});
