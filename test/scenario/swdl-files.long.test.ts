import { afterEach, describe, expect, test } from 'vitest';
import type { TestProject } from '../support/project.ts';
import { stagesProject } from '../support/stages.ts';

/*
 * Which file a workflow of stages is, and which files change it: through the real program.
 */

let project: TestProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

const stages = 'stages: [{ id: one, roles: { primary: { artifact: "agent:x", model: opus } } }]\n';
const named = (id: string, name: string) =>
  `workflow: { id: ${id}, name: ${name}, version: 1.0.0 }\n${stages}`;

function made(files: Readonly<Record<string, string>>): TestProject {
  project = stagesProject(named('w', 'W'), {}, { 'agents/x/role.md': 'You are x.\n', ...files });
  return project;
}

const title = async (run: TestProject, reference: string) =>
  (await run.run(['plan', reference])).stdout.split('\n')[0];

describe('a workflow is found by its id', () => {
  test.each([
    ['on one line', 'deploy.yaml', named('ship-it', 'Ship')],
    [
      'in JSON',
      'deploy.json',
      JSON.stringify({
        stages: [{ id: 'one', roles: { primary: { artifact: 'agent:x' } } }],
        workflow: { name: 'Ship', version: '1.0.0', id: 'ship-it' },
      }),
    ],
    [
      'with CRLF',
      'deploy.yaml',
      `workflow:\n  id: ship-it\n  name: Ship\n  version: 1.0.0\n${stages}`.replaceAll('\n', '\r\n'),
    ],
    ['in quotes', 'deploy.yaml', `"workflow": {'id': "ship\\x2dit", name: Ship, version: 1.0.0}\n${stages}`],
  ])('%s', async (_spelling, file, text) => {
    const run = made({ [`workflows/${file}`]: text });
    expect(await title(run, 'ship-it')).toBe('Workflow: Ship v1.0.0');
    expect(await title(run, 'Ship')).toBe('Workflow: Ship v1.0.0');
    expect(await title(run, 'deploy')).toBe('Workflow: Ship v1.0.0');
  });

  test('although another file has that name', async () => {
    const run = made({ 'workflows/a.yaml': named('b', 'Second'), 'workflows/b.yaml': named('a', 'First') });
    expect(await title(run, 'a')).toBe('Workflow: First v1.0.0');
    expect(await title(run, 'b')).toBe('Workflow: Second v1.0.0');
    expect(await title(run, 'workflows/a.yaml')).toBe('Workflow: Second v1.0.0');
  });

  test('unless two files have it: both are named, and neither is run', async () => {
    const run = made({
      'workflows/a.yaml': named('ship', 'A'),
      'workflows/parts/b.yaml': named('ship', 'B'),
    });
    expect((await run.run(['plan', 'ship'])).stderr).toBe(
      'error E_TARGET: `ship` may be workflows/a.yaml, workflows/parts/b.yaml\nhint: give the file\n',
    );
    const other = 'error E_DUPLICATE: `ship` is also the id of workflows/parts/b.yaml';
    for (const command of ['validate', 'check']) {
      const ran = await run.run([command]);
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(`workflows/a.yaml:1:17: ${other}`)]);
    }
    expect((await run.run(['validate', 'workflows/a.yaml'])).stderr).toContain(other);
    expect((await run.run(['run', 'workflows/a.yaml'])).code).toBe(2);
  });

  test('and where a file name and a name lead to different files, a person has to say which', async () => {
    const native = (name: string) =>
      `version: "1"\nname: ${name}\ntimeout: 1m\nsteps: { a: { command: ["true"] } }\n`;
    const run = made({ 'workflows/a.yaml': native('b'), 'workflows/b.yaml': native('c') });
    expect((await run.run(['plan', 'b'])).stderr).toBe(
      'error E_TARGET: `b` may be workflows/b.yaml, workflows/a.yaml\nhint: give the file\n',
    );
    expect(await title(run, 'a')).toBe('b');
  });
});

describe('files that change a workflow', () => {
  test('lie beside it as templates, are no workflows, and are applied when they are named', async () => {
    const run = made({
      'workflows/ship/WORKFLOW.yaml': named('ship', 'Ship'),
      'workflows/ship/overrides/prod.yaml':
        'overrides: { ship: { stages: { one: { roles: { primary: { model: sonnet } }, name: Go } } } }\n',
    });
    expect(await run.run(['validate'])).toMatchObject({ code: 0, stdout: 'ok: 2 workflows, 2 steps\n' });
    expect((await run.run(['check'])).code).toBe(0);
    expect((await run.run(['plan', 'ship'])).stdout).toContain('Agent: agent:x (opus)');
    const file = 'workflows/ship/overrides/prod.yaml';
    const planned = await run.run(['plan', 'ship', '--overrides', file]);
    expect(planned.stdout).toContain(`Overrides: ${file}
  stages.one.roles.primary.model: "opus" → "sonnet"
  stages.one.name: "Go"
`);
    expect(planned.stdout).toContain('Agent: agent:x (sonnet)');
    const document = await run.run(['plan', 'ship', '--json', '--overrides', file]);
    expect(JSON.parse(document.stdout)).toMatchObject({ overrides: [{ file, isNamed: true }] });
  });

  test('are checked with it', async () => {
    const run = made({ 'other.yaml': 'overrides: { w: { stages: { on: {} } } }\n' });
    const ran = await run.run(['validate', 'w', '--overrides', 'other.yaml']);
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringContaining('other.yaml:1:29: error E_UNKNOWN_NAME'),
    ]);
    expect((await run.run(['run', 'w', '--overrides', 'gone.yaml'])).stderr).toBe(
      `error E_USAGE: there is no file ${run.root}/gone.yaml\n`,
    );
  });

  test('hold for the run that they were named for, also when it adopts an edit', async () => {
    const run = made({
      'plays.mjs': 'export const plays = { one: ({ project, writeFileSync }) => process.exit(1) };\n',
      'prod.yaml':
        'overrides: { w: { stages: { one: { error_policy: { retry: { max_attempts: 1 } } } } } }\n',
    });
    expect((await run.run(['run', 'w', '--overrides', 'prod.yaml'])).code).toBe(1);
    run.write('plays.mjs', 'export const plays = { one: () => ({}) };\n');
    const [id = ''] = run.list('.mailroom/runs');
    // Nothing was edited: the file with its overrides is what the run began with.
    const resumed = await run.run(['resume', id]);
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.not.stringContaining('was edited')]);
  });
});

describe('a plan', () => {
  const asks = `workflow: { id: w, name: W, version: 1.0.0 }
stages:
  - id: one
    roles: { primary: { artifact: "agent:x", model: opus, instructions: 'For \${{ context.team }}' } }
    inputs: { size: { type: integer, source: 'large' } }
`;

  test('wants the context that a run would need, by --context or --context-file, and starts nothing', async () => {
    const run = made({ 'workflows/w.yaml': asks, 'context.json': '{"team": "search"}' });
    const refused = await run.run(['plan', 'w']);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^workflows\/w\.yaml:4:\d+: error E_VAR_MISSING: nothing sets `context\.team`\n/),
    ]);
    for (const given of [
      ['--context', 'team=search'],
      ['--context-file', 'context.json'],
    ]) {
      const planned = await run.run(['plan', 'w', ...given]);
      expect([planned.code, planned.stdout.split('\n')[0]]).toEqual([0, 'Workflow: W v1.0.0']);
    }
    expect(run.list('.')).not.toContain('.mailroom');
  });

  test('prints the warnings of `validate`', async () => {
    const run = made({ 'workflows/w.yaml': asks });
    const warning = '`size` is an integer, and this is a string';
    const planned = await run.run(['plan', 'w', '--context', 'team=search']);
    expect([planned.code, planned.stderr]).toEqual([0, expect.stringContaining(`: ${warning}\n`)]);
    const document = await run.run(['plan', 'w', '--context', 'team=search', '--json']);
    expect(JSON.parse(document.stdout)).toMatchObject({ warnings: [{ message: warning, line: 5 }] });
    expect((await run.run(['validate', 'w'])).stderr).toContain(warning);
  });
});
