import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { OrchestrateProject, sh } from '../support/orchestrate.ts';
import { finished, packageRoot, program } from '../support/project.ts';

/*
 * What people and programs read of an orchestrate run that does not go well, through the real program.
 */

let project: OrchestrateProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

function projectWith(steps: string, more: Readonly<Record<string, string>> = {}): OrchestrateProject {
  return (project = new OrchestrateProject(steps, more));
}

/** Where a program is started, and without colours wherever this runs. */
function plainly({ root }: OrchestrateProject) {
  return { cwd: root, env: { ...process.env, NO_COLOR: '1' } };
}

describe('a failure of an orchestrate run', () => {
  it('has the code E_VAR_MISSING wherever a variable had no value when its step was reached', async () => {
    const step = sh('One', 'true').replace('"true"', '"true", "${env.NOT_SET_VAR}"');
    const place = projectWith(`env: [NOT_SET_VAR]\nsteps:\n${step}`);
    const { code, stderr } = await place.flow();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^ERROR: Step 'One' failed after 0\.0s: E_VAR_MISSING: `env\.NOT_SET_VAR` has no value$/m,
    );
    expect(place.told()).toMatchObject({
      error_code: 'E_VAR_MISSING',
      steps: { One: { error_code: 'E_VAR_MISSING' } },
    });
    for (const name of ['step_failed', 'run_failed'])
      expect(place.events().find(({ event }) => event === name)).toMatchObject({
        error_code: 'E_VAR_MISSING',
        message: '`env.NOT_SET_VAR` has no value',
      });
    const { stdout } = await place.flow(['--json']);
    expect(JSON.parse(stdout)).toMatchObject({ steps: { One: { error_code: 'E_VAR_MISSING' } } });
  });

  it('has it in `context`, too, where nothing was started: exit code 2', async () => {
    const place = projectWith(
      `env: [NOT_SET_VAR]\ncontext: { a: "\${env.NOT_SET_VAR}" }\nsteps:\n${sh('One', 'true')}`,
    );
    const { code, stderr } = await place.flow();
    expect(code).toBe(2);
    expect(stderr).toContain('error E_VAR_MISSING: `env.NOT_SET_VAR` has no value');
    expect(place.ids).toEqual([]);
  });

  it('has an exit code without any process, for those that handle it', async () => {
    const missing = sh('One', 'true', '    input_file: none.txt\n');
    const wrong = sh('Two', 'true', '    when: { number: { left: x, op: "==", right: 1 } }\n');
    const after = (step: string, to: string) =>
      step.replace(/failure: \{ error: \w+ failed \}/, `failure: { goto: ${to} }`);
    const handler = (name: string, of: string, to: string) =>
      sh(name, 'echo "$1" >> codes', '', to).replace('codes"', `codes", sh, "\${steps.${of}.exit_code}"`);
    const place = projectWith(
      `steps:\n${after(missing, 'HandleOne')}${handler('HandleOne', 'One', 'Two')}${after(wrong, 'HandleTwo')}${handler('HandleTwo', 'Two', '_end')}`,
    );
    expect((await place.flow()).code).toBe(0);
    expect(place.read('workspace/codes')).toBe('1\n1\n');
    expect(place.told().steps).toMatchObject({ One: { exit_code: 1 }, Two: { exit_code: 1 } });
  });

  it('of an attempt that is made again leaves its exit code and reason', async () => {
    const flaky = 'test -e again || { touch again; echo no luck >&2; exit 1; }';
    const place = projectWith(`steps:\n${sh('Flaky', flaky, '    retry: { attempts: 2 }\n')}`);
    const { code, stderr } = await place.flow();
    expect(code).toBe(0);
    expect(stderr).toMatch(/WARNING: Step 'Flaky' is tried again in (?:1\.\d|2\.0)s: exit code 1: no luck\n/);
    expect(place.events().find(({ event }) => event === 'step_retry')).toMatchObject({
      exit_code: 1,
      error_code: 'E_STEP',
      message: 'exit code 1: no luck',
    });
  });
});

describe('what cannot be read', () => {
  it('is named for what it is, where a step reads it', async () => {
    const place = projectWith(`steps:\n${sh('One', 'true', '    input_file: folder\n')}`, {
      'workspace/folder/a': '',
    });
    const { stderr } = await place.flow();
    expect(stderr).toContain('cannot read folder: it is a folder, not a file');
  });

  it('is a mistake of the command line, where it is the file of the context', async () => {
    const place = projectWith(`steps:\n${sh('One', 'true')}`);
    const { code, stderr } = await place.flow(['--context-file', 'workflows']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `error E_USAGE: cannot read ${place.root}/workflows: it is a folder, not a file\n`,
    );
    expect(place.ids).toEqual([]);
  });
});

describe('the file of the context', () => {
  const step = sh('One', 'echo "$1" > said').replace('said"', 'said", sh, "${context.a}"');

  it('may be what another program writes: `<(…)` of the shell, and standard input', async () => {
    const place = projectWith(`steps:\n${step}`);
    const shell = (line: string) =>
      finished(spawn('bash', ['-c', line, process.execPath, program], plainly(place)));
    const run = '"$0" "$1" run workflows/flow.yaml --context-file';
    for (const [value, line] of [
      ['written', `${run} <(printf '{"a":'; printf '"written"}')`],
      ['piped', `printf '{"a":"piped"}' | ${run} /dev/stdin`],
    ] as const) {
      expect(await shell(line)).toMatchObject({ code: 0 });
      expect(place.read('workspace/said')).toBe(`${value}\n`);
    }
    expect(await shell(`${run} /dev/fd/77`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error E_USAGE: cannot read \/dev\/fd\/77: EBADF: bad file descriptor/),
    });
    expect(await shell(`${run} <(head -c 5000000 /dev/zero)`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/cannot read \/dev\/fd\/\d+: it has 4\.1 MiB, the limit is 4 MiB\n$/),
    });
  });
});

describe('a program that cannot be started', () => {
  it.each([
    ['is not there', '[nosuch]', 127, 'it could not be started: command not found: nosuch'],
    ['cannot be executed', '[./plain]', 126, 'it could not be started: command not executable: ./plain'],
    [
      'has an interpreter that is gone',
      '[./dead]',
      127,
      'it could not be started: interpreter not found: the first line of ./dead names /gone/bash',
    ],
    ['was started, and says 127 itself', '[sh, -c, "exit 127"]', 127, 'exit code 127'],
    [
      'was started, and another was not',
      '[sh, -c, nosuch]',
      127,
      expect.stringMatching(/^exit code 127: sh: .*nosuch: not found$/),
    ],
  ])('is told apart: it %s', async (_what, command, code, reason) => {
    const text = `steps:\n  - name: One\n    command: ${command}\n    on: { success: { goto: _end }, failure: { goto: _error } }\n`;
    const place = projectWith(text, { 'workspace/plain': 'hi\n', 'workspace/dead': '#!/gone/bash\n' });
    chmodSync(join(place.root, 'workspace/dead'), 0o755);
    expect((await place.flow()).code).toBe(1);
    const failed = place.events().find(({ event }) => event === 'step_failed');
    expect(failed).toMatchObject({ step: 'One', exit_code: code, message: reason });
  });
});

describe('by the name `orchestrate`', () => {
  const loop = `  - name: Loop
    for_each:
      items: [a, b]
      steps:
        - name: Inner
          command: [sh, -c, 'echo "doing $1"; test "$1" = a', sh, '\${item}']
          on: { success: { goto: _loop_continue }, failure: { goto: _loop_break } }
    on: { success: { goto: _end }, failure: { goto: _error } }
`;
  const orchestrate = join(packageRoot, 'bin', 'orchestrate');
  const called = (place: OrchestrateProject, ...args: readonly string[]) =>
    finished(spawn(process.execPath, [orchestrate, ...args], plainly(place)));

  it('every command that is shown can be typed', async () => {
    const place = projectWith(`steps:\n${loop}`);
    const { code, stdout, stderr } = await called(place, 'run', 'workflows/flow.yaml');
    expect(code).toBe(1);
    expect(stderr).toContain("ERROR: Step 'Loop/1/Inner' failed after");
    const id = place.ids[0]!;
    expect(stdout).toContain(`\ndetails: orchestrate show ${id.slice(-6)}\n`);
    expect(stdout).toContain(`\nresume:  orchestrate resume ${id.slice(-6)}\n`);
    expect((await called(place, 'run', '--help')).stdout).toContain('$ orchestrate run workflows/ship.yaml');
    expect((await called(place, 'run')).stderr).toContain('`orchestrate run --help` shows what it takes');
  });

  it('a step of a loop is named where it is asked for alone', async () => {
    const place = projectWith(`steps:\n${loop}`);
    const refusal =
      'error E_TARGET: `Inner` is a step of `Loop`, and runs in it only\nhint: to run all of it: orchestrate run-step Loop\n';
    expect(await called(place, 'run-step', 'Inner')).toMatchObject({ code: 2, stderr: refusal });
    expect(await called(place, 'run-step', 'workflows/flow.yaml', 'Inner')).toMatchObject({
      code: 2,
      stderr: refusal,
    });
    await called(place, 'run', 'workflows/flow.yaml');
    const { stdout } = await called(place, 'logs', place.ids[0]!, '--step', 'Inner');
    expect(stdout).toContain('doing a\n');
    expect(stdout).toContain('doing b\n');
  });
});

describe('a run that cannot be resumed', () => {
  it('because another process works on it is named, and so is one whose journal is gone', async () => {
    const wait = 'test -e ../go || exit 1; touch begun; while test -e ../go; do sleep 0.05; done';
    const place = projectWith(`steps:\n${sh('One', wait)}`);
    await place.flow();
    const run = place.ids[0]!;
    place.write('go', '');
    const first = place.start(['resume', run]);
    const over = finished(first);
    await appears(join(place.root, 'workspace/begun'));
    expect(await place.run(['resume', run])).toMatchObject({
      code: 1,
      stderr: `error E_LOCKED: another process works on the run ${run}\nhint: \`mailroom show ${run}\` shows what it does\n`,
    });
    rmSync(join(place.root, 'go'));
    expect((await over).code).toBe(0);
    rmSync(join(place.root, '.mailroom'), { recursive: true });
    expect(await place.run(['resume', run])).toMatchObject({
      code: 2,
      stderr: `error E_TARGET: the journal of the run ${run} is gone: .orchestrator/runs/${run} only shows what it was
hint: start the workflow again; a run cannot be resumed without its folder in .mailroom/runs/
`,
    });
  });
});

describe('a limit of visits', () => {
  it('says how often, and what sets it', async () => {
    const place = projectWith(`steps:\n${sh('One', 'true', '', 'One')}`);
    expect((await place.flow(['--max-visits', '1'])).code).toBe(1);
    expect(place.told()).toMatchObject({
      error: '`One` was entered once, the limit of this run: `--max-visits` sets it',
    });
  });
});

describe('a run with a limit of visits', () => {
  it('keeps it when it is resumed, and its file counts as unchanged', async () => {
    const place = projectWith(`steps:\n${sh('One', 'test -e ../ready', '', '_end')}`);
    expect((await place.flow(['--max-visits', '5'])).code).toBe(1);
    place.write('ready', '');
    const { code, stderr } = await place.run(['resume', place.ids[0]!]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('was edited')]);
  });
});

describe('the example', () => {
  it('runs no value of its context as a program', async () => {
    const text = readFileSync(new URL('../../workflows/orchestrate.yaml', import.meta.url), 'utf8');
    const place = projectWith(text.slice(text.indexOf('version:')).replace("'1.0'", '"1.0"'));
    await place.flow(['--context', 'wanted=1; touch PWNED']);
    expect(place.read('workspace/artifacts/Prepare/begin.txt')).toBe('looking for 1; touch PWNED\n');
    expect(place.has('workspace/PWNED')).toBe(false);
  });
});

describe('`run-step`', () => {
  it('runs the step although its condition asks for other steps, and asks for all else', async () => {
    const place = projectWith(
      `steps:\n${sh('One', 'true', '', 'Two')}
${sh('Two', 'echo two >> log', '    when: { step_ok: One }\n', 'Three')}
${sh('Three', 'echo three >> log', '    when: { file_exists: none.txt }\n')}`,
    );
    const { code, stderr } = await place.run(['run-step', 'Two']);
    expect(code).toBe(0);
    expect(stderr).toContain("INFO: Step 'Two' completed successfully");
    const three = await place.run(['run-step', 'Three']);
    expect(three.stderr).toContain("INFO: Step 'Three' skipped: its condition was false.");
    expect(place.read('workspace/log')).toBe('two\n');
  });
});
