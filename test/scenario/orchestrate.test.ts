import { mkdirSync, chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { OrchestrateProject, sh } from '../support/orchestrate.ts';
import { finished } from '../support/project.ts';

/*
 * The acceptance tests of the orchestrate language, each through the real program.
 */

let project: OrchestrateProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

function projectWith(steps: string, more: Readonly<Record<string, string>> = {}): OrchestrateProject {
  return (project = new OrchestrateProject(steps, more));
}

const demo = `version: "1.0"
name: "demo"
strict_flow: true
context:
  project: "my-app"
secrets:
  - CLAUDE_API_KEY
steps:
  - name: Prep
    command: ["sh", "scripts/prep.sh", "data.txt"]
    output_file: "prep.txt"
    timeout: 60
    on:
      success: { goto: Analyze }
      failure: { error: "Prep failed" }
  - name: Analyze
    provider: "claude"
    input_file: "prompts/analyze.md"
    output_file: "analysis.txt"
    timeout: 120
    retry: { attempts: 2 }
    on:
      success: { goto: Report }
      failure: { error: "Analysis failed" }
  - name: Report
    when: { step_ok: Analyze }
    command: ["sh", "scripts/report.sh"]
    input_file: "artifacts/Analyze/analysis.txt"
    output_file: "report.html"
    on:
      success: { goto: _end }
      failure: { error: "Report generation failed" }
`;

/** The three steps of the demonstration, with a shim that says what it was given. */
function demonstration(): { place: OrchestrateProject; env: Record<string, string> } {
  const place = projectWith(demo, {
    'workspace/scripts/prep.sh': 'echo "prepared $1"\n',
    'workspace/scripts/report.sh': 'printf "<p>%s</p>\\n" "$(cat)"\n',
    'workspace/prompts/analyze.md': 'Analyze ${this}.\n',
    'bin/claude-shim': '#!/bin/sh\necho "$@"\ncat\necho "key $CLAUDE_API_KEY"\n',
  });
  chmodSync(join(place.root, 'bin/claude-shim'), 0o755);
  const path = `${join(place.root, 'bin')}:${process.env['PATH'] ?? ''}`;
  return { place, env: { PATH: path, CLAUDE_API_KEY: 'sk-very-secret-key' } };
}

describe('orchestrate', () => {
  it('1: the demonstration makes all its artifacts', async () => {
    const { place, env } = demonstration();
    const { code } = await place.flow([], env);
    expect(code).toBe(0);
    expect(place.read('workspace/artifacts/Prep/prep.txt')).toBe('prepared data.txt\n');
    expect(place.read('workspace/artifacts/Analyze/analysis.txt')).toBe(
      '--max-tokens 4000\nAnalyze ${this}.\nkey ***\n',
    );
    expect(place.read('workspace/artifacts/Report/report.html')).toContain('<p>--max-tokens 4000');
    expect(place.told()).toMatchObject({
      workflow_name: 'demo',
      status: 'completed',
      context: { project: 'my-app' },
    });
    expect(place.ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('2: a step that takes too long is ended, and the exit code is 124', async () => {
    const place = projectWith(`steps:\n${sh('Slow', 'sleep 60', '    timeout: 0.3\n')}`);
    const { code } = await place.flow();
    expect(code).toBe(124);
    expect(place.told()).toMatchObject({
      status: 'failed',
      steps: { Slow: { status: 'failed', exit_code: 124 } },
    });
    expect(place.events().map(({ event }) => event)).toContain('step_timeout');
    expect(place.survivors()).toEqual([]);
  });

  it('3: a command that fails once succeeds at its second attempt, two seconds later', async () => {
    const flaky = 'test -e again || { touch again; exit 1; }';
    const place = projectWith(`steps:\n${sh('Flaky', flaky, '    retry: { attempts: 2 }\n')}`);
    const { code, stderr } = await place.flow();
    expect(code).toBe(0);
    expect(stderr).toMatch(/WARNING: Step 'Flaky' is tried again in (?:1\.\d|2\.0)s: exit code 1\n/);
    const starts = place.events().filter(({ event }) => event === 'step_start');
    const [first = 0, second = 0] = starts.map(({ timestamp }) => Date.parse(String(timestamp)));
    expect(second - first).toBeGreaterThanOrEqual(2_000);
  });

  it('3: exit code 2 is not tried again', async () => {
    const place = projectWith(
      `steps:\n${sh('Bad', 'echo x >> tries; exit 2', '    retry: { attempts: 3 }\n')}`,
    );
    expect((await place.flow()).code).toBe(1);
    expect(place.read('workspace/tries')).toBe('x\n');
  });

  it('4: a secret reaches the step, and nothing that is written has it', async () => {
    const { place, env } = demonstration();
    await place.flow([], env);
    const run = place.ids[0] ?? '';
    for (const file of ['state.json', 'logs/events.jsonl', 'logs/Analyze-stdout.log'])
      expect(place.read(`.orchestrator/runs/${run}/${file}`)).not.toContain('sk-very');
    expect(place.told().steps['Analyze']?.output).toContain('key ***');
  });

  it('4: a secret that is given as a value is refused, so that it becomes no argument', async () => {
    const place = projectWith(`secrets: [TOKEN]\nsteps:\n${sh('One', 'touch begun; echo ${context.it}')}`);
    const { code, stderr } = await place.flow(['--context', 'it=Bearer tok-1234'], { TOKEN: 'tok-1234' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('`context.it` holds the secret `TOKEN`')]);
    expect(stderr).not.toContain('tok-1234');
    expect([place.has('workspace/begun'), place.ids]).toEqual([false, []]);
  });

  it('4: a secret that is not set ends it before anything starts, with exit code 2', async () => {
    const place = projectWith(`secrets: [NOT_THERE_AT_ALL]\nsteps:\n${sh('One', 'touch begun')}`);
    const { code, stderr } = await place.flow();
    expect(code).toBe(2);
    expect(stderr).toContain('NOT_THERE_AT_ALL');
    expect(place.has('workspace/begun')).toBe(false);
  });

  it.each([
    ['an absolute path', '    input_file: /etc/passwd\n'],
    ['a path that leads out of the project', '    input_file: ../../x\n'],
    ['an output that leaves its folder', '    output_file: ../x\n'],
  ])('5: %s ends it with exit code 3, and nothing starts', async (_what, more) => {
    const place = projectWith(`steps:\n${sh('One', 'touch begun', more)}`);
    expect((await place.flow()).code).toBe(3);
    expect(place.has('workspace/begun')).toBe(false);
  });

  it('5: so does a path that is absolute once it is substituted, and a link on the way', async () => {
    const substituted = projectWith(`steps:\n${sh('One', 'cat', '    input_file: "${context.file}"\n')}`);
    expect((await substituted.flow(['--context', 'file=/etc/passwd'])).code).toBe(3);
    substituted.remove();
    const linked = projectWith(`steps:\n${sh('One', 'cat', '    input_file: link/a.txt\n')}`, {
      'outside/a.txt': 'a',
    });
    mkdirSync(join(linked.root, 'workspace'));
    symlinkSync('../outside', join(linked.root, 'workspace/link'));
    expect((await linked.flow()).code).toBe(3);
  });

  it('6: after a failure `orchestrate resume` continues, and does nothing twice', async () => {
    const two = sh('Two', 'echo two >> log; test -e mended');
    const place = projectWith(`steps:\n${sh('One', 'echo one >> log', '', 'Two')}${two}`);
    expect((await place.flow(['--context', 'kept=yes'])).code).toBe(1);
    expect(place.told()).toMatchObject({ status: 'failed', current_step: 'Two' });
    place.write('workspace/mended', '');
    const { code } = await place.run(['resume', place.ids[0] ?? '']);
    expect(code).toBe(0);
    expect(place.read('workspace/log')).toBe('one\ntwo\ntwo\n');
    expect(place.told()).toMatchObject({ status: 'completed', context: { kept: 'yes' } });
    const numbers = place.events().map(({ event_seq: number }) => number);
    expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
  });

  it('6: after its host was killed it continues with the step that ran, and its log continues, too', async () => {
    const slow = sh('Two', 'echo two >> log; test -e ../go || { touch begun; sleep 60; }');
    const place = projectWith(`steps:\n${sh('One', 'echo one >> log', '', 'Two')}${slow}`, {
      'workspace/log': '',
    });
    const child = place.start(['run', 'workflows/flow.yaml']);
    const over = finished(child);
    await appears(join(place.root, 'workspace/begun'));
    expect(place.told()).toMatchObject({
      status: 'running',
      current_step: 'Two',
      steps: { One: { exit_code: 0 } },
    });
    child.kill('SIGKILL');
    await over;
    place.write('go', '');
    expect((await place.run(['resume', place.ids[0] ?? ''])).code).toBe(0);
    expect(place.read('workspace/log')).toBe('one\ntwo\ntwo\n');
    expect(place.told().status).toBe('completed');
    const numbers = place.events().map(({ event_seq: number }) => number);
    expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
  });

  it('6: a damaged state.json is reported with exit code 2, and drawn again where it is removed', async () => {
    const place = projectWith(`steps:\n${sh('One', 'exit 1')}`);
    await place.flow();
    const run = place.ids[0] ?? '';
    const file = `.orchestrator/runs/${run}/state.json`;
    place.write(file, '{"run_id": 1}');
    const { code, stderr } = await place.run(['resume', run]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('state.json')]);
    rmSync(join(place.root, file));
    expect((await place.run(['resume', run])).code).toBe(1);
    expect(place.told()).toMatchObject({ run_id: run, status: 'failed', steps: { One: { exit_code: 1 } } });
  });

  it('7: it says when a step starts and how it ends', async () => {
    const place = projectWith(`steps:\n${sh('One', 'true', '', 'Two')}${sh('Two', 'exit 3')}`);
    const { stderr } = await place.flow();
    const lines = stderr.split('\n');
    expect(lines).toContain("INFO: Step 'One' starting.");
    expect(lines.find((line) => line.includes('completed'))).toMatch(
      /^INFO: Step 'One' completed successfully in \d+\.\ds\.$/,
    );
    expect(lines.find((line) => line.startsWith('ERROR'))).toMatch(
      /^ERROR: Step 'Two' failed after \d+\.\ds: /,
    );
    const [complete] = place.events().filter(({ event }) => event === 'step_complete');
    expect(complete).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      run_id: place.ids[0],
      event_seq: expect.any(Number) as number,
      level: 'INFO',
      step: 'One',
      attempt_id: 1,
      event: 'step_complete',
      duration: expect.any(Number) as number,
      exit_code: 0,
    });
  });

  it('8: each run does all steps again', async () => {
    const place = projectWith(
      `steps:\n${sh('One', 'echo one >> log', '', 'Two')}${sh('Two', 'echo two >> log')}`,
    );
    await place.flow();
    await place.flow();
    expect(place.read('workspace/log')).toBe('one\ntwo\none\ntwo\n');
    expect(place.ids).toHaveLength(2);
  });

  it('9: `when` decides whether a step runs, and a step that is skipped continues as after success', async () => {
    const place = projectWith(
      `steps:
${sh('One', 'exit 1').replace('{ error: One failed }', '{ goto: Two }')}
${sh('Two', 'echo two >> log', '    when: { step_ok: One }\n', 'Three')}
${sh('Three', 'echo three >> log', '    when: { not: { step_ok: Two } }\n')}`,
    );
    expect((await place.flow()).code).toBe(0);
    expect(place.read('workspace/log')).toBe('three\n');
    expect(place.told().steps).toMatchObject({ One: { status: 'failed' }, Two: { status: 'skipped' } });
  });

  it('10: `run-step` does one step in a run of its own and leaves earlier runs as they are', async () => {
    const place = projectWith(
      `steps:\n${sh('One', 'echo one', '    output_file: one.txt\n', 'Two')}${sh('Two', 'echo two', '    output_file: two.txt\n')}`,
    );
    await place.flow();
    const [before = ''] = place.ids;
    const text = place.read(`.orchestrator/runs/${before}/state.json`);
    place.write('workspace/artifacts/One/one.txt', 'old\n');
    place.write('workspace/artifacts/Two/two.txt', 'old\n');
    // What only the other step needs may be missing.
    place.write(
      'workflows/flow.yaml',
      place.read('workflows/flow.yaml').replace('echo one', 'echo ${context.a}'),
    );
    expect((await place.flow()).code).toBe(2);
    expect((await place.run(['run-step', 'One'])).code).toBe(2);
    expect((await place.run(['run-step', 'Two'])).code).toBe(0);
    expect(place.read('workspace/artifacts/Two/two.txt')).toBe('two\n');
    expect(place.read('workspace/artifacts/One/one.txt')).toBe('old\n');
    expect(place.read(`.orchestrator/runs/${before}/state.json`)).toBe(text);
    const other = place.ids.find((id) => id !== before) ?? '';
    expect(Object.keys(place.told(other).steps)).toEqual(['Two']);
  });

  it('11: variables are put into arguments, and one that nothing sets is E_VAR_MISSING with exit code 2', async () => {
    const step = sh('One', 'printf "%s|" "$@"', '    output_file: out.txt\n').replace(
      ']\n',
      ', x, "${context.a}", "a $$b ${{ kept }}", "${context.b}"]\n    allow_missing_vars: [context.b]\n',
    );
    const place = projectWith(`steps:\n${step}`);
    const missing = await place.flow();
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('E_VAR_MISSING');
    expect((await place.flow(['--context', 'a=it is; rm -rf'])).code).toBe(0);
    expect(place.read('workspace/artifacts/One/out.txt')).toBe('it is; rm -rf|a $b ${{ kept }}||');
  });

  it('11: what is missing only when it runs ends the run at that step, with exit code 1', async () => {
    const place = projectWith(
      `steps:
${sh('One', 'true', '    when: { equals: { left: a, right: b } }\n', 'Two')}
${sh('Two', 'touch begun', '', '_end').replace('"touch begun"', '"touch begun", "${steps.One.output}"')}`,
    );
    const { code, stderr } = await place.flow();
    expect(code).toBe(1);
    expect(stderr).toContain('steps.One.output');
    expect(place.has('workspace/begun')).toBe(false);
  });

  it('12: `file_exists` is meant from the workspace, up to the project and not beyond', async () => {
    const place = projectWith(
      `steps:
${sh('One', 'echo one >> log', '    when: { file_exists: there.txt }\n', 'Two')}
${sh('Two', 'echo two >> log', '    when: { file_exists: ../above.txt }\n', 'Three')}
${sh('Three', 'echo three >> log', '    when: { file_exists: above.txt }\n', 'Four')}
${sh('Four', 'echo four >> log', '    when: { file_exists: "${context.where}" }\n')}`,
      { 'workspace/there.txt': '', 'above.txt': '' },
    );
    const { code } = await place.flow(['--context', 'where=../../etc/passwd']);
    expect(place.read('workspace/log')).toBe('one\ntwo\n');
    expect(code).toBe(3);
  });
});
