import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { finished, TestProject, type Ran } from '../support/project.ts';

let project: TestProject | null = null;

afterEach(() => {
  const left = project?.survivors() ?? [];
  project?.remove();
  project = null;
  if (left.length > 0) throw new Error(`still running: ${left.join(', ')}`);
});

function projectWith(workflow: string, more: Readonly<Record<string, string>> = {}): TestProject {
  const head = 'name: sample\nversion: "1"\ntimeout: 5m\n';
  const text = workflow.startsWith('name:') ? workflow : `${head}${workflow}`;
  return (project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'work.yaml': text, ...more }));
}

/** The document that `--json` ends with. */
interface Document {
  readonly run: string;
  readonly workflow: string;
  readonly language: string;
  readonly status: string;
  readonly started_at: string;
  readonly completed_at: string;
  readonly cost: object;
  readonly steps: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

async function run(place: TestProject, ...more: string[]): Promise<Ran & { document: Document }> {
  const ran = await place.run(['run', 'work.yaml', '--json', ...more]);
  return { ...ran, document: JSON.parse(ran.stdout) as Document };
}

const script = (text: string) =>
  `worker: CUSTOM\n    capabilities: [EDIT]\n    instructions: |\n${text
    .split('\n')
    .map((line) => `      ${line}`)
    .join('\n')}`;

/** Everything in files below a folder. */
function allText(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

/** The only run of the project. */
function onlyRun(place: TestProject): string {
  return place.list('.mailroom/runs')[0] ?? '';
}

describe('the exit code of `run`', () => {
  it.each([
    [0, 'SUCCEEDED', 'command: ["true"]'],
    [1, 'FAILED', 'command: ["false"]'],
    [0, 'SUCCEEDED', 'command: ["false"]\n    on_failure: continue'],
  ])('is %i: %s', async (code, status, step) => {
    const { code: ended, document } = await run(projectWith(`steps:\n  one:\n    ${step}\n`));
    expect(document.status).toBe(status);
    expect(ended).toBe(code);
  });

  it('is 2 for a definition that is wrong, and nothing is started', async () => {
    const place = projectWith('steps:\n  one: { comand: [touch, here] }\n');
    const { code, stderr } = await place.run(['run', 'work.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain('command');
    expect(existsSync(join(place.root, '.mailroom/runs'))).toBe(false);
  });

  it('is 2 for a workspace that is not there', async () => {
    const place = projectWith('steps:\n  one: { command: ["true"] }\n');
    expect(await place.run(['run', 'work.yaml', '--workspace', 'nowhere'])).toMatchObject({
      code: 2,
      stderr:
        `error E_USAGE: there is no folder ${join(place.root, 'nowhere')} to work in\n` +
        'hint: make it first, or name another\n',
    });
  });

  it('is 124 when the time of the run is over', async () => {
    const place = projectWith(
      'name: sample\nversion: "1"\ntimeout: 1s\nsteps:\n  one: { command: [sleep, "60"] }\n',
    );
    const { code, document } = await run(place);
    expect([code, document.status, document.steps['one']?.['status']]).toEqual([
      124,
      'TIMED_OUT',
      'CANCELLED',
    ]);
  });

  it('is 130 when the run was cancelled by another process, and what ran is ended', async () => {
    const place = projectWith(`steps:\n  one:\n    ${script('touch begun\nsleep 60')}\n`);
    const child = place.start(['run', 'work.yaml']);
    const over = finished(child);
    await appears(join(place.root, 'begun'));
    const { code } = await place.run(['cancel', onlyRun(place)]);
    expect(code).toBe(0);
    expect((await over).code).toBe(130);
    const { stdout } = await place.run(['show', onlyRun(place), '--json']);
    expect((JSON.parse(stdout) as Document).status).toBe('CANCELLED');
  });

  it('is 130 after Ctrl-C, which puts the step back: `resume` continues', async () => {
    const text = script('touch begun\n[ -e go ] || sleep 60');
    const place = projectWith(`steps:\n  one:\n    ${text}\n`);
    const child = place.start(['run', 'work.yaml']);
    const over = finished(child);
    await appears(join(place.root, 'begun'));
    child.kill('SIGINT');
    const { code, stdout, stderr } = await over;
    expect(code).toBe(130);
    expect(`${stdout}${stderr}`).toContain('mailroom resume');
    place.write('go', '');
    const again = await place.run(['resume', onlyRun(place), '--json']);
    expect(again.code).toBe(0);
    expect((JSON.parse(again.stdout) as Document).steps['one']).toMatchObject({ attempts: 1 });
  });
});

describe('one step alone', () => {
  const steps =
    'steps:\n  say: { command: [echo, "${{ context.word }}"] }\n  both: { command: [echo, twice] }\n';
  const file = (name: string) => `name: ${name}\nversion: "1"\ntimeout: 1m\n`;

  it('is found by its name where one workflow has it, and given its context by a file', async () => {
    const place = projectWith(steps, {
      'workflows/one.yaml': `${file('one')}context: { word: nothing }\n${steps}`,
      'workflows/two.yaml': `${file('two')}steps: { both: { command: [echo, two] } }\n`,
      'context.json': '{ "word": "hello" }',
    });
    const runStep = (...words: string[]) => place.run(['run-step', ...words]);
    expect(await runStep('both')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('workflows/one.yaml, workflows/two.yaml have a step `both`'),
    });
    expect(await runStep('sya')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean `say`?'),
    });
    expect(await runStep('two', 'bath')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean `both`?'),
    });
    expect(existsSync(join(place.root, '.mailroom/runs'))).toBe(false);
    const { code, stdout } = await runStep('say', '--context-file', 'context.json', '--json');
    expect(code).toBe(0);
    const { steps: done, run: id } = JSON.parse(stdout) as Document;
    expect(done).toMatchObject({ say: { status: 'SUCCEEDED' }, both: { status: 'SKIPPED' } });
    expect((await place.run(['logs', id, '--step', 'say'])).stdout).toContain('hello');
    expect(await place.run(['logs', id, '--step', 'both'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '`both` has printed nothing\n',
    });
    expect(await place.run(['logs', id, '--step', 'sya'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean `say`?'),
    });
  });
});

describe('`run --json`', () => {
  it('ends with one document of the shape that is told', async () => {
    const step = script('printf \'{"n": 3}\' > "$MAILROOM_VALUES"\necho text > out.txt');
    const { document } = await run(
      projectWith(
        `steps:\n  one:\n    ${step}\n    values: { n: { type: integer } }\n    outputs: [{ name: text, path: out.txt }]\n`,
      ),
    );
    expect(document).toMatchObject({ workflow: 'sample', language: 'native', status: 'SUCCEEDED' });
    for (const time of [document.started_at, document.completed_at])
      expect(new Date(time).toISOString()).toBe(time);
    const { one } = document.steps;
    expect(Object.keys(one ?? {}).toSorted()).toEqual(
      [
        'status agent host attempts iterations started_at completed_at exit_code',
        'error_class error_code reason values artifacts cost commit',
      ]
        .flatMap((line) => line.split(' '))
        .toSorted(),
    );
    expect(one).toMatchObject({
      status: 'SUCCEEDED',
      attempts: 1,
      iterations: 1,
      exit_code: 0,
      values: { n: 3 },
      artifacts: [{ name: 'text', path: 'text/out.txt' }],
    });
  });
});

describe('a run whose process is killed', () => {
  it('continues with `resume`: what was done is not done again, what ran is ended and starts again', async () => {
    const place = projectWith(
      `steps:\n  one:\n    ${script('echo one >> log')}\n  two:\n    depends_on: [one]\n    ${script(
        'echo two >> log\n[ -e go ] || { touch begun; sleep 60; }\necho end >> log',
      )}\n`,
    );
    const child = place.start(['run', 'work.yaml']);
    const over = finished(child);
    await appears(join(place.root, 'begun'));
    child.kill('SIGKILL');
    await over;
    const id = onlyRun(place);
    place.write('go', '');
    const { code, stdout } = await place.run(['resume', id, '--json']);
    expect(code).toBe(0);
    expect(place.read('log')).toBe('one\ntwo\ntwo\nend\n');
    expect((JSON.parse(stdout) as Document).run).toBe(id);
    const again = await place.run(['resume', id, '--json']);
    expect(again.code).toBe(0);
    expect(place.read('log')).toBe('one\ntwo\ntwo\nend\n');
  });
});

describe('a gate', () => {
  const workflow = `steps:\n  ask: { gate: { message: Go on?, approvers: [ada] } }\n  after:\n    depends_on: [ask]\n    command: ["true"]\n`;

  it('is opened by its id, once, by somebody who may', async () => {
    const place = projectWith(workflow);
    const child = place.start(['run', 'work.yaml', '--json']);
    const over = finished(child);
    const id = await waiting(place);
    const said = async (...words: string[]) => (await place.run([...words])).code;
    expect(await said('approve', id, 'nothing', '--as', 'ada')).not.toBe(0);
    expect(await said('approve', id, 'after', '--as', 'ada')).not.toBe(0);
    expect(await said('approve', id, 'ask', '--as', 'bob')).not.toBe(0);
    expect(await said('approve', id, 'ask', '--as', 'ada')).toBe(0);
    const { code, stdout } = await over;
    expect([code, (JSON.parse(stdout) as Document).status]).toEqual([0, 'SUCCEEDED']);
    expect(await said('reject', id, 'ask', '--as', 'ada')).not.toBe(0);
  });

  it('that is rejected closes what comes after it, and the run has failed', async () => {
    const place = projectWith(workflow);
    const over = finished(place.start(['run', 'work.yaml', '--json']));
    const id = await waiting(place);
    expect((await place.run(['reject', id, 'ask', '--as', 'ada'])).code).toBe(0);
    const { code, stdout } = await over;
    const { status, steps } = JSON.parse(stdout) as Document;
    expect([code, status, steps['after']?.['status']]).toEqual([1, 'FAILED', 'SKIPPED']);
  });

  /** The id of the run whose gate waits. */
  async function waiting(place: TestProject): Promise<string> {
    for (;;) {
      const { stdout } = await place.run(['runs', '--json']);
      const id = (JSON.parse(stdout === '' ? '[]' : stdout) as Document[])[0]?.run;
      if (id === undefined) continue;
      const shown = await place.run(['show', id, '--json']);
      if ((JSON.parse(shown.stdout) as Document).steps['ask']?.['status'] === 'WAITING') return id;
    }
  }
});

describe('a step that failed', () => {
  it('is run again with other instructions, and what came after it', async () => {
    const place = projectWith(
      `steps:\n  one:\n    ${script('echo bad >> log; exit 2')}\n  two:\n    depends_on: [one]\n    ${script('echo two >> log')}\n`,
      { better: 'echo good >> log\n' },
    );
    const { document } = await run(place);
    expect(document.status).toBe('FAILED');
    const { code } = await place.run(['retry', document.run, 'one', '--instructions', 'better']);
    expect(code).toBe(0);
    expect(place.read('log')).toBe('bad\ngood\ntwo\n');
  });
});

describe('an agent of an embedded provider', () => {
  it('is the program of that name on the PATH', async () => {
    const place = projectWith(
      'steps:\n  one:\n    worker: CLAUDE_CODE\n    capabilities: [EDIT]\n    instructions: Say hello.\n',
      {
        'bin/claude': `#!/bin/sh
cat > prompt.txt
[ "$1" = "--version" ] && { echo "2.1.0 (Claude Code)"; exit 0; }
echo '{"type":"result","subtype":"success","is_error":false,"result":"Hello","session_id":"s1","total_cost_usd":0.01,"usage":{"input_tokens":3,"output_tokens":4}}'
`,
      },
    );
    chmodSync(join(place.root, 'bin/claude'), 0o755);
    const path = `${place.root}/bin:${process.env['PATH'] ?? ''}`;
    const { code, stdout } = await place.run(['run', 'work.yaml', '--json'], { PATH: path });
    const { status, cost } = JSON.parse(stdout) as Document;
    expect([code, status]).toEqual([0, 'SUCCEEDED']);
    expect(cost).toMatchObject({ usd: 0.01 });
    expect(place.read('prompt.txt')).toContain('Say hello.');
  });
});

describe('a path that leads out of its root', () => {
  it.each([
    ['by `..`', 'outputs: [{ name: out, path: ../out }]'],
    ['absolutely', 'outputs: [{ name: out, path: /tmp/out }]'],
    ['through a link', 'outputs: [{ name: out, path: link/out }]'],
    ['by an expression', 'outputs: [{ name: out, path: "${{ parameters.p }}/out" }]'],
  ])('%s ends the run with 3, and nothing is written', async (_how, outputs) => {
    const place = projectWith(
      `parameters: { p: { type: string, default: ../.. } }\nsteps:\n  one:\n    ${script('touch ran')}\n    ${outputs}\n`,
    );
    symlinkSync('/', join(place.root, 'link'));
    const { code } = await place.run(['run', 'work.yaml']);
    expect(code).toBe(3);
    expect(existsSync(join(place.root, 'ran'))).toBe(false);
  });

  it('through the context folder ends with 3, and nothing is written', async () => {
    const place = projectWith('context_dir: link/context\nsteps:\n  one: { command: [touch, ran] }\n');
    symlinkSync('/', join(place.root, 'link'));
    const { code } = await place.run(['run', 'work.yaml']);
    expect(code).toBe(3);
    expect(existsSync(join(place.root, 'ran'))).toBe(false);
  });
});

describe('a secret', () => {
  it('appears in no file that Mailroom writes and in nothing that it says', async () => {
    const secret = 'correct-horse-battery';
    const place = projectWith(
      `secrets: [SAMPLE_TOKEN]
steps:
  one:
    ${script('echo "$SAMPLE_TOKEN"; echo "$SAMPLE_TOKEN" >&2\nprintf \'{"v": "%s"}\' "$SAMPLE_TOKEN" > "$MAILROOM_VALUES"')}
    values: { v: { type: string } }
  two:
    depends_on: [one]
    on_failure: continue
    ${script('echo "${{ steps.one.output }} $SAMPLE_TOKEN"; printf "%.7s" "$SAMPLE_TOKEN"; sleep 0.1; echo "${SAMPLE_TOKEN#???????}"; exit 2')}
  three:
    depends_on: [two]
    worker: CUSTOM
    capabilities: [EDIT]
    instructions: "true"
    completion_check:
      worker: CUSTOM
      capabilities: [READ]
      instructions: 'echo "missing $SAMPLE_TOKEN"; exit 1'
    max_iterations: 2
    on_iterations_exhausted: continue
`,
    );
    const env = { SAMPLE_TOKEN: secret };
    const ran = await place.run(['run', 'work.yaml', '--json'], env);
    const id = onlyRun(place);
    const said = await Promise.all([
      place.run(['show', id], env),
      place.run(['show', id, '--json'], env),
      place.run(['logs', id], env),
    ]);
    expect(ran.code).toBe(0);
    for (const { stdout, stderr } of [ran, ...said]) expect(`${stdout}${stderr}`).not.toContain(secret);
    expect(allText(place.root)).not.toContain(secret);
  });
});
