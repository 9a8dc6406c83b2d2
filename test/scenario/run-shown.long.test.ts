import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';

let project: TestProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

function projectWith(steps: string): TestProject {
  const text = `name: sample\nversion: "1"\ntimeout: 1m\nsteps:\n${steps}`;
  return (project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'work.yaml': text }));
}

describe('what `run` shows', () => {
  it('follows in _workflow.json while a step runs', async () => {
    const until = `until grep -q '"a": "SUCCEEDED"' context/_workflow.json && grep -q '"b": "RUNNING"' context/_workflow.json; do sleep 0.05; done`;
    const place = projectWith(`  a: { command: ["true"] }
  b: { depends_on: [a], timeout: 20s, command: [sh, -c, ${JSON.stringify(until)}] }
`);
    const { code, stdout } = await place.run(['run', 'work.yaml']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('b SUCCEEDED')]);
  });

  it('names the command that shows the warnings about a definition, also where `up` starts it', async () => {
    const text = 'name: w\nversion: "1"\ntimeout: 1m\ntriggers: { yearly: { cron: "0 0 1 1 *" } }\n';
    project = new TestProject({
      'mailroom.yaml': 'trail: off\n',
      'workflows/w.yaml': `${text}steps: { a: { command: [echo, "&&"] } }\n`,
      'workflows/fine.yaml': `${text.replace('name: w', 'name: fine')}steps: { a: { command: ["true"] } }\n`,
    });
    const note = 'workflows/w.yaml: 1 warning. To show: mailroom validate workflows/w.yaml\n';
    expect(await project.run(['run', 'w'])).toMatchObject({ code: 0, stderr: note });
    expect((await project.run(['run', 'fine'])).stderr).toBe('');
    const up = await project.run(['up', '--until-idle']);
    expect([up.code, up.stdout]).toEqual([0, expect.stringContaining(note)]);
    expect(up.stdout).not.toContain('fine.yaml');
  });

  it('has warnings as they arise and at the end, also on standard error beside a document', async () => {
    const place = projectWith('  t: { command: [echo], outputs: [{ name: o, path: nope.txt }] }\n');
    const warning = 't: the output `o` is not there: nope.txt';
    const { stdout } = await place.run(['run', 'work.yaml']);
    expect(stdout).toMatch(/t SUCCEEDED[^\n]*\n[^\n]*! t: the output `o` is not there: nope\.txt\n/);
    expect(stdout).toContain(`\nwarnings:\n- ${warning}\nrun `);
    const beside = await place.run(['run', 'work.yaml', '--json']);
    expect(beside.stderr).toContain(`! ${warning}\n`);
    expect(JSON.parse(beside.stdout)).toMatchObject({ warnings: [warning] });
  });

  it('says of a failed check that it is the check, and which limit it went over', async () => {
    const place = projectWith(`  a:
    worker: CUSTOM
    instructions: "true"
    capabilities: [EDIT]
    max_iterations: 2
    completion_check: { worker: CUSTOM, timeout: 200ms, instructions: "sleep 20", capabilities: [READ] }
`);
    const { code, stdout } = await place.run(['run', 'work.yaml']);
    const reason = 'check of `a`: timed out after 200ms';
    expect([code, stdout]).toEqual([1, expect.stringContaining(`a: ${reason}`)]);
    expect(JSON.parse(place.read('context/a/_meta.json'))).toMatchObject({
      reason,
      iterations: 1,
      attempts: 1,
    });
  });

  it('names the step that failed, in `run`, `show` and `why`', async () => {
    const place = projectWith('  build: { command: [sh, -c, "exit 3"] }\n');
    const { stdout } = await place.run(['run', 'work.yaml']);
    expect(stdout).toMatch(/\nrun .* FAILED in .*: build: exit code 3\n/);
    const shown = await place.run(['show', 'last']);
    expect(shown.stdout).toContain('\nstatus     FAILED: build: exit code 3\n');
    const listed = await place.run(['runs', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ reason: 'build: exit code 3' }]);
    const why = await place.run(['why', 'last/build']);
    expect(why.stdout).toMatch(/^build failed: exit code 3\.\n/);
  });

  it('refuses a limit of dollars that is not a number, and starts nothing', async () => {
    const place = projectWith('  t: { command: [touch, made] }\n');
    expect(await place.run(['run', 'work.yaml', '--max-usd', 'abc'])).toMatchObject({
      code: 2,
      stderr: 'error E_USAGE: `--max-usd` must be a number, not `abc`\n',
    });
    expect(place.list('.')).not.toContain('made');
    expect(await place.run(['run', 'work.yaml'])).toMatchObject({ code: 0 });
    const { stderr } = await place.run(['logs', 'last']);
    expect(stderr).toBe('no step of this run has printed anything\n');
  });

  it('names the innermost step that failed, in loops and sub-workflows', async () => {
    const place = projectWith(`  cars:
    for_each: { items: [a, b], as: car, steps: { release: { workflow: ./release.yaml } } }
`);
    const build = 'build: { command: [sh, -c, "test ! -e first || exit 1; touch first"] }';
    place.write('release.yaml', `name: release\nversion: "1"\ntimeout: 1m\nsteps: { ${build} }\n`);
    const { stdout } = await place.run(['run', 'work.yaml']);
    expect(stdout).toMatch(/\nrun .* FAILED in \S+: cars\/1\/release\/build: exit code 1\n/);
  });

  it('has iterations by their number in `show`, and in each the steps as they began', async () => {
    const items = JSON.stringify(Array.from({ length: 11 }, (_, index) => index));
    const place = projectWith(`  each:
    for_each:
      items: ${items}
      as: n
      concurrency: 3
      steps:
        write: { command: ["true"] }
        ask: { depends_on: [write], command: ["true"] }
  all: { command: ["true"] }
`);
    await place.run(['run', 'work.yaml']);
    const [{ run }] = JSON.parse((await place.run(['runs', '--json'])).stdout) as [{ run: string }];
    const { stdout } = await place.run(['show', run]);
    const steps = stdout.slice(stdout.indexOf('STEP')).trimEnd().split('\n').slice(1);
    expect(steps.map((row) => row.split(' ', 1)[0])).toEqual([
      'each',
      ...Array.from({ length: 11 }, (_, index) => [`each/${index}/write`, `each/${index}/ask`]).flat(),
      'all',
    ]);
  });
});
