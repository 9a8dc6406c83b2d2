import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { finished, said, type TestProject } from '../support/project.ts';
import { fixture, played, stagesProject } from '../support/stages.ts';

/*
 * Workflows of the swdl language through the real program: the agents are programs of the test.
 */

let project: TestProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

interface Stage {
  readonly status: string;
  readonly attempt?: number;
  readonly outputs?: Record<string, unknown>;
  readonly reason?: string;
}

/** run.yaml of the only run. */
function recordOf(
  run: TestProject,
): { status: string; stages: Record<string, Stage> } & Record<string, unknown> {
  const [id = ''] = run.list('.mailroom/runs');
  return (parse(run.read(`.mailroom/runs/${id}/run.yaml`)) as { run: ReturnType<typeof recordOf> }).run;
}

function promptOf(run: TestProject, stage: string, key = '1.1', id = run.list('.mailroom/runs')[0]!): string {
  return run.read(`.mailroom/runs/${id}/steps/${stage}/${key}/prompt.md`);
}

function noticeOf(run: TestProject, on: string, id = run.list('.mailroom/runs')[0]!): string {
  return run.read(`.mailroom/runs/${id}/hooks/${on}/notify`);
}

describe('two stages', () => {
  test('are run one after the other, and the second gets what the first made', async () => {
    project = stagesProject(fixture('quick-review.yaml'), {
      analyze: "return { analysis: 'Looks fine' };",
      review: "return { review: 'Merge it' };",
    });
    const ran = await project.run(['run', 'quick-review', '--param', 'pr_url=http://pr/1']);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('SUCCEEDED')]);
    expect(recordOf(project)).toMatchObject({
      workflow_id: 'quick-review',
      workflow_version: '1.0.0',
      status: 'success',
      parameters: { pr_url: 'http://pr/1' },
      stages: {
        analyze: { status: 'success', attempt: 1, outputs: { analysis: 'Looks fine' } },
        review: { status: 'success', attempt: 1, outputs: { review: 'Merge it' } },
      },
    });
    expect(promptOf(project, 'analyze')).toMatch(
      /You are code-analyzer-v1\.[^]*`pr_url`\n\n```\nhttp:\/\/pr\/1\n```/,
    );
    expect(promptOf(project, 'review')).toContain('`analysis`\n\n```\nLooks fine\n```');
  });

  test('are not planned or run while an agent is not there, and only warned of otherwise', async () => {
    const workflow = fixture('quick-review.yaml');
    project = stagesProject(workflow, {});
    await project.run(['init']);
    const { rmSync } = await import('node:fs');
    rmSync(`${project.root}/agents/code-reviewer-v1`, { recursive: true });
    const validated = await project.run(['validate', 'workflows/w.yaml']);
    expect([validated.code, validated.stderr]).toEqual([
      0,
      expect.stringContaining('warning E_REFERENCE: `agent:code-reviewer-v1` is an agent that is not there'),
    ]);
    for (const command of ['plan', 'run']) {
      const ran = await project.run([command, 'workflows/w.yaml', '--param', 'pr_url=x']);
      expect([ran.code, ran.stderr]).toEqual([
        2,
        expect.stringContaining('agents/code-reviewer-v1/role.md, .claude/agents/code-reviewer-v1.md'),
      ]);
    }
  });
});

const ship = {
  research: "return { research_summary: 'Known', identified_risks: ['time'] };",
  plan: "return { implementation_plan: { do: 'it' }, component_spec: { a: 1 }, touches_auth: false };",
  'frontend-impl': 'return { changes: { files: 1 } };',
  'backend-impl': 'return { changes: { files: 2 } };',
  test: 'return { test_results: { ok: 3 }, all_passing: true };',
  'security-review': 'return { security_findings: [], approved: true };',
  review: "return { review_verdict: 'approved' };",
  deploy: "return { deploy_status: 'live' };",
};

describe('the example of the project', () => {
  const text = readFileSync(new URL('../../workflows/stages.yaml', import.meta.url), 'utf8');
  const plays = {
    design: "return { design: 'A list', risks: ['slow'] };",
    check: "return { verdict: 'good' };",
    release: "return { notes: 'A list' };",
  };

  test('asks no one where the build is not risky, and continues', async () => {
    project = stagesProject(text, { ...plays, build: "return { changed: ['list.ts'] };" });
    expect((await project.run(['run', 'stages', '--param', 'feature=search'])).code).toBe(0);
    const { stages } = recordOf(project);
    expect(stages['approval']).toMatchObject({ status: 'skipped', reason: 'its condition was false' });
    expect(stages['release']).toMatchObject({ status: 'success', outputs: { notes: 'A list' } });
  });

  test('runs unchanged', async () => {
    project = stagesProject(text, { ...plays, build: "return { changed: ['list.ts'], risky: true };" });
    const values = {
      design: { design: 'A list', risks: ['slow'], needs_tests: true },
      build: { changed: ['list.ts'], risky: true },
      check: { verdict: 'good' },
      release: { notes: 'A list' },
    };
    const param = ['--param', 'feature=search'];
    expect((await project.run(['run', 'stages', ...param])).code).toBe(0);
    const { stages } = recordOf(project);
    expect(stages).toMatchObject({
      ...Object.fromEntries(
        Object.entries(values).map(([id, outputs]) => [id, { status: 'success', outputs }]),
      ),
      approval: { status: 'success' },
    });
  });
});

describe('nine stages', () => {
  test('ship a feature: in parallel, with a condition that is false and a gate that a person opens', async () => {
    const workflow = fixture('ship-feature.yaml').replace('skillmeat memory', 'touch done-with');
    project = stagesProject(workflow, ship);
    const child = project.start(['run', 'workflows/w.yaml', '--param', 'feature_name=auth']);
    const ran = finished(child);
    await said(child, 'deploy-approval');
    const [id = ''] = project.list('.mailroom/runs');
    const wrong = await project.run(['approve', id, 'deploy-approval', '--as', 'somebody']);
    expect(wrong.code).not.toBe(0);
    // The record is drawn when the run has told of the gate.
    const of = project;
    await expect.poll(() => recordOf(of).stages['deploy-approval']?.status).toBe('running');
    expect((await project.run(['approve', id, 'deploy-approval', '--as', 'miethe'])).code).toBe(0);
    expect((await ran).code).toBe(0);
    const { status, stages } = recordOf(project);
    expect(status).toBe('success');
    expect(Object.fromEntries(Object.entries(stages).map(([name, stage]) => [name, stage.status]))).toEqual({
      research: 'success',
      plan: 'success',
      'frontend-impl': 'success',
      'backend-impl': 'success',
      test: 'success',
      'security-review': 'skipped',
      review: 'success',
      'deploy-approval': 'success',
      deploy: 'success',
    });
    expect(played(project).filter((stage) => stage === 'research')).toHaveLength(2);
    expect(promptOf(project, 'plan')).toContain('`summary of research`\n\n```\nsaid by research\n```');
    expect(promptOf(project, 'review')).toContain('```json\n{\n  "ok": 3\n}\n```');
  });
});

test('the main example of the public authoring guide, compacted, is run', async () => {
  project = stagesProject(fixture('guide.yaml'), {
    spec: "return { text: 't', criteria: ['c'] };",
    implement: "return { pr_url: 'http://pr/1' };",
    test: "return { results: 'all pass' };",
    review: 'return { approval: true };',
    stage: "return { deployment: 'd1' };",
    ship: "return { url: 'http://live' };",
    smoke: 'return { passed: true };',
  });
  project.makeRepository();
  const started = project.start([
    'run',
    'release-feature',
    '--param',
    'feature=auth',
    '--param',
    'target=production',
  ]);
  await said(started, 'mailroom approve');
  expect(promptOf(project, 'review')).toContain('`results`\n\n```\nall pass\n```');
  const answer = ['approve', '--as', 'lead'];
  expect(await project.run(answer)).toMatchObject({ code: 0 });
  expect((await finished(started)).code).toBe(0);
  expect(promptOf(project, 'ship')).toContain('`deployment`\n\n```\nd1\n```');
  expect(['start', 'complete'].map((on) => noticeOf(project!, on))).toEqual([
    'channel:#team Begins auth\n',
    'channel:#team auth is on production\n',
  ]);
  const shown = await Promise.all(
    [['runs'], ['show', 'last'], ['workflows']].map((args) => project!.run(args)),
  );
  for (const { stdout } of shown) expect(stdout).toContain('Release a feature');
  const stands = (await project.run(['runs', '--json'])).stdout;
  expect(JSON.parse(stands)).toMatchObject([{ workflow: 'release-feature', title: 'Release a feature' }]);
});

test('a hook names the stage that failed', async () => {
  project = stagesProject(fixture('guide.yaml').replace('30s', '30ms'), {
    spec: "throw new Error('no');",
  });
  const ran = await project.run(['run', 'release-feature', '--param', 'feature=auth']);
  expect(ran.code).toBe(1);
  expect(noticeOf(project, 'failure')).toBe('channel:#team Failed at stage spec\n');
});
