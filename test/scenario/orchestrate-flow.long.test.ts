import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { OrchestrateProject, sh, type Told } from '../support/orchestrate.ts';
import { finished, program } from '../support/project.ts';

let project: OrchestrateProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

function projectWith(steps: string, more: Readonly<Record<string, string>> = {}): OrchestrateProject {
  return (project = new OrchestrateProject(steps, more));
}

/** A step of a loop. */
function inner(name: string, script: string, success: string, failure: string): string {
  const on = `{ success: { goto: ${success} }, failure: { goto: ${failure} } }`;
  return `        - name: ${name}\n          command: [sh, -c, ${JSON.stringify(script)}]\n          on: ${on}\n`;
}

const after = '    on: { success: { goto: Last }, failure: { goto: _error } }\n';
const last = sh('Last', 'echo last >> log');

describe('loops of orchestrate', () => {
  it('go through their items; what each round came to stands under the loop and under its steps', async () => {
    const place = projectWith(`steps:
  - name: Each
    for_each:
      items: [a, b, c]
      as: letter
      steps:
${inner('Say', 'echo ${letter}-${item}-${loop.index}/${loop.total} | tee -a log; test ${item} != b', '_loop_continue', '_loop_continue')}
${after}${last}`);
    expect((await place.flow()).code).toBe(0);
    expect(place.read('workspace/log')).toBe('a-a-0/3\nb-b-1/3\nc-c-2/3\nlast\n');
    const { steps } = place.told();
    expect(steps['Each']).toMatchObject({
      status: 'completed',
      exit_code: 0,
      iterations: [
        { index: 0, item: 'a', status: 'completed', exit_code: 0, output: 'a-a-0/3' },
        { index: 1, item: 'b', status: 'failed', exit_code: 1, output: 'b-b-1/3' },
        { index: 2, item: 'c', status: 'completed', exit_code: 0, output: 'c-c-2/3' },
      ],
    });
    expect(steps['Say']?.iterations?.map(({ status }) => status)).toEqual([
      'completed',
      'failed',
      'completed',
    ]);
    expect(steps['Say']?.output).toBe('c-c-2/3');
  });

  it('that are broken off by a failure have failed with its exit code', async () => {
    const place = projectWith(`steps:
  - name: Each
    for_each:
      items: [a, b, c]
      steps:
${inner('Say', 'echo ${item} >> log; test ${item} = a || exit 7', '_loop_continue', '_loop_break')}
    on: { success: { goto: _end }, failure: { goto: Last } }
${sh('Last', 'echo ${steps.Each.exit_code} >> log')}`);
    expect((await place.flow()).code).toBe(0);
    expect(place.read('workspace/log')).toBe('a\nb\n7\n');
    expect(place.told().steps['Each']).toMatchObject({ status: 'failed', exit_code: 7 });
  });

  it.each([
    ['_end', 0, 'completed'],
    ['_error', 1, 'failed'],
  ])('are left by %s, and so is the run', async (target, code, status) => {
    const place = projectWith(`steps:
  - name: Each
    for_each:
      items: [a, b]
      steps:
${inner('Say', 'echo ${item} >> log', target, '_loop_break')}
${after}${last}`);
    expect((await place.flow()).code).toBe(code);
    expect(place.read('workspace/log')).toBe('a\n');
    expect(place.told().status).toBe(status);
  });

  it('continue as long as a condition holds, which sees what the last round did', async () => {
    const place = projectWith(`steps:
  - name: Until
    while:
      condition: { not: { step_ok: Try } }
      max_iterations: 5
      steps:
${inner('Try', 'echo ${loop.iteration} >> log; test $(wc -l < log) -ge 3', '_loop_continue', '_loop_continue')}
${after}${last}`);
    expect((await place.flow()).code).toBe(0);
    expect(place.read('workspace/log')).toBe('1\n2\n3\nlast\n');
    expect(place.told().steps['Until']?.iterations).toHaveLength(3);
  });

  it('fail when their bound is reached', async () => {
    const place = projectWith(`steps:
  - name: Until
    while:
      condition: { not: { file_exists: never.txt } }
      max_iterations: 2
      steps:
${inner('Try', 'echo x >> log', '_loop_continue', '_loop_continue')}
${after}${last}`);
    const { code, stderr } = await place.flow();
    expect([code, place.read('workspace/log')]).toEqual([1, 'x\nx\n']);
    expect(stderr).toContain('still holds after 2 iterations');
  });

  it('made of jumps end when a step was entered as often as it may be', async () => {
    const place = projectWith(`steps:\n${sh('Round', 'echo x >> log', '', 'Round')}`);
    expect((await place.flow(['--max-visits', '3'])).code).toBe(1);
    expect(place.read('workspace/log')).toBe('x\nx\nx\n');
  });
});

describe('values and conditions of orchestrate', () => {
  it('are set by set_context, and a resume keeps them', async () => {
    const place = projectWith(`context: { who: nobody, kept: as it is }
steps:
${sh('One', 'echo ada', '', 'Set')}
  - name: Set
    set_context: { who: "\${steps.One.output}", list: [1, "\${context.kept}"] }
    on: { success: { goto: Two } }
${sh('Two', 'echo ${context.who} ${context.list} >> log; test -e mended')}`);
    expect((await place.flow()).code).toBe(1);
    place.write('workspace/mended', '');
    expect((await place.run(['resume', place.ids[0] ?? ''])).code).toBe(0);
    expect(place.told().context).toEqual({ who: 'ada', kept: 'as it is', list: [1, 'as it is'] });
    expect(place.read('workspace/log')).toBe('ada [1,as it is]\n'.repeat(2));
  });

  it.each([
    ['exit_code: { step: One, op: "==", value: 3 }', true],
    ['exit_code: { step: One, op: ">", value: 3 }', false],
    ['exit_code: { step: Two, op: "!=", value: 3 }', false],
    ['env_set: LOUD', true],
    ['equals: { left: "${steps.One.output}", right: "Hello 42" }', true],
    ['equals: { left: "${steps.One.output}", right: "hello 42" }', false],
    ['contains: { haystack: "${steps.One.output}", needle: "lo 4" }', true],
    ['contains: { haystack: "${steps.One.output}", needle: "LO" }', false],
    ['regex: { text: "${steps.One.output}", pattern: "^hello \\\\d+$", flags: i }', true],
    ['regex: { text: "${steps.One.output}", pattern: "^hello" }', false],
    ['number: { left: "${steps.One.exit_code}", op: "<=", right: 3 }', true],
    ['all: [{ step_ok: One }, { env_set: LOUD }]', false],
    ['any: [{ step_ok: One }, { env_set: LOUD }]', true],
    ['not: { step_ok: One }', true],
    ['{ env_set: LOUD, step_ok: One }', false],
    ['equals: { left: "${steps.One.status}", right: failed }', true],
  ])('%s holds: %s', async (condition, holds) => {
    const when = condition.startsWith('{') ? condition : `{ ${condition} }`;
    const place = projectWith(`env: [LOUD]
steps:
${sh('One', 'echo Hello 42; exit 3').replace('{ error: One failed }', '{ goto: Two }')}
${sh('Two', 'true', `    when: ${when}\n`)}`);
    await place.flow([], { LOUD: '1' });
    expect(place.told().steps['Two']?.status).toBe(holds ? 'completed' : 'skipped');
  });

  it('take no time by their pattern', async () => {
    const text = `${'a'.repeat(60)}!`;
    const place = projectWith(
      `steps:\n${sh('One', 'true', `    when: { regex: { text: "${text}", pattern: "^(a+)+$" } }\n`)}`,
    );
    expect((await place.flow()).code).toBe(0);
    expect(place.told().steps['One']?.status).toBe('skipped');
  });
});

describe('what orchestrate gives a program and takes from it', () => {
  it('is the head of what it prints; all of it lies in its log and its artifact', async () => {
    const print = 'yes 0123456789abcde | head -c 1200000';
    const place = projectWith(`steps:\n${sh('Big', print, '    output_file: a/big.txt\n')}`);
    expect((await place.flow()).code).toBe(0);
    const { output, ...rest } = place.told().steps['Big']!;
    expect(output).toHaveLength(8 * 1024 + '\n[truncated]'.length);
    expect(output.endsWith('\n[truncated]')).toBe(true);
    expect(rest['spill_stdout_path']).toBe(
      join(place.root, `.orchestrator/runs/${place.ids[0] ?? ''}/logs/Big-stdout.log`),
    );
    expect(place.read('workspace/artifacts/Big/a/big.txt')).toHaveLength(1_200_000);
  });

  it('reads its input, and nothing where there is none', async () => {
    const place = projectWith(
      `steps:\n${sh('One', 'cat', '    input_file: workspace/in.txt\n    output_file: one.txt\n', 'Two')}${sh('Two', 'cat', '    output_file: two.txt\n')}`,
      { 'workspace/in.txt': 'given\n' },
    );
    expect((await place.flow()).code).toBe(0);
    expect(place.read('workspace/artifacts/One/one.txt')).toBe('given\n');
    expect(place.read('workspace/artifacts/Two/two.txt')).toBe('');
  });

  it('is what the page says: its input, its values, its environment, and what is kept of what it prints', async () => {
    const place = projectWith(`context: { a: file, b: file, c: file }
steps:
${sh('One', 'env | sed s/=.*// >> names; cat; yes 0123456789abcde | head -c 1200000 >&2', '    input_file: bytes\n', 'Each')}
  - name: Each
    for_each:
      items: [x, y]
      steps:
${inner('Say', 'echo ${item} ${context.a} ${context.b} ${context.c}', '_loop_continue', '_error')}
    on: { success: { goto: _end }, failure: { goto: _error } }
`);
    mkdirSync(join(place.root, 'workspace'));
    writeFileSync(join(place.root, 'workspace/bytes'), Buffer.of(0x61, 0xff, 0xc3, 0xa9, 0xc3, 0x62));
    place.write('context.json', '{ "a": "json", "b": "json" }');
    const options = ['--context', 'a=line', '--context-file', 'context.json'];
    expect((await place.flow(options, { NOBODY_NAMED_IT: '1' })).code).toBe(0);
    const { One, Say } = place.told().steps;
    const logs = join(place.root, `.orchestrator/runs/${place.ids[0] ?? ''}/logs`);
    expect(One?.output).toBe('a\ufffdé\ufffdb');
    expect([One?.['spill_stdout_path'], One?.['spill_stderr_path']]).toEqual([
      undefined,
      `${logs}/One-stderr.log`,
    ]);
    expect(Say?.output).toBe('y line json file');
    expect(readFileSync(`${logs}/Say-stdout.log`, 'utf8')).toBe('y line json file\n');
    const usual =
      /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TERM|TZ|TMPDIR|SHLVL|PWD|OLDPWD|_|MAILROOM_\w+)$/;
    const names = place.read('workspace/names').trim().split('\n');
    expect(names.filter((name) => !usual.test(name))).toEqual([]);
  });

  it('is done beside the `workflows/` that holds the file, else in the project', async () => {
    const place = projectWith(`steps:\n${sh('One', 'pwd')}`);
    place.write('mailroom.yaml', 'trail: off\n');
    for (const file of ['tools/workflows/deep/flow.yaml', 'elsewhere/flow.yaml'])
      place.write(file, place.read('workflows/flow.yaml'));
    const spot = async (file: string) => {
      await place.run(['run', file]);
      const folder = place.has('tools/.orchestrator') ? 'tools/' : '';
      const [id = ''] = place.list(`${folder}.orchestrator/runs`);
      const { steps } = JSON.parse(place.read(`${folder}.orchestrator/runs/${id}/state.json`)) as Told;
      return steps['One']?.output;
    };
    expect(await spot('elsewhere/flow.yaml')).toBe(join(place.root, 'workspace'));
    expect(await spot('tools/workflows/deep/flow.yaml')).toBe(join(place.root, 'tools/workspace'));
  });

  it('gets exactly the secrets that it names, and the variables that are allowed', async () => {
    const names = 'echo "a=$A b=$B c=$C d=$D"';
    const place = projectWith(`env: [C]
secrets: [A]
steps:
${sh('One', names, '    output_file: o.txt\n', 'Two')}
${sh('Two', names, '    output_file: o.txt\n    secrets: [B]\n')}`);
    const env = { A: 'secret-a-1', B: 'secret-b-1', C: 'plain', D: 'hidden' };
    expect((await place.flow([], env)).code).toBe(0);
    expect(place.read('workspace/artifacts/One/o.txt')).toBe('a=*** b= c=plain d=\n');
    expect(place.read('workspace/artifacts/Two/o.txt')).toBe('a= b=*** c=plain d=\n');
  });

  it('is an agent itself where there is no shim: its prompt as it is, its final text, its key by its own name', async () => {
    const place = projectWith(
      `secrets: [CLAUDE_API_KEY]
steps:
  - name: Ask
    provider: claude
    prompt_file: prompts/a.md
    output_file: said.txt
    on: { success: { goto: _end }, failure: { goto: _error } }
`,
      {
        'workspace/prompts/a.md': 'Say ${it}.',
        'bin/agent': `#!/bin/sh
text="$(cat) for $(printf %s "$ANTHROPIC_API_KEY" | wc -c)"
printf '{"type":"system","subtype":"init","session_id":"s","tools":[]}\n'
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"s","total_cost_usd":0,"num_turns":1,"usage":{"input_tokens":1,"output_tokens":1}}\n' "$text"
`,
      },
    );
    chmodSync(join(place.root, 'bin/agent'), 0o755);
    const bin = join(place.root, 'bin/agent');
    const { code } = await place.flow([], {
      MAILROOM_CLAUDE_BIN: bin,
      CLAUDE_API_KEY: 'key-of-20-characters',
      ANTHROPIC_API_KEY: '',
    });
    expect(place.told().steps['Ask']).toMatchObject({ status: 'completed', exit_code: 0 });
    expect(code).toBe(0);
    expect(place.read('workspace/artifacts/Ask/said.txt')).toBe('Say ${it}. for 20');
  });

  it.each([
    [0, 'completed', 1],
    [1, 'failed', 2],
    [2, 'failed', 1],
    [7, 'failed', 1],
  ])('a shim that ends with %i has %s after %i attempts', async (code, status, attempts) => {
    const place = projectWith(
      `steps:
  - name: Ask
    provider: gemini
    model: flash
    max_tokens: 12
    prompt_file: prompts/a.md
    retry: { attempts: 2 }
    on: { success: { goto: _end }, failure: { goto: _error } }
`,
      {
        'workspace/prompts/a.md': 'Say it.',
        'bin/gemini-shim': `#!/bin/sh\necho "$@ $(cat)" >> calls\nexit ${String(code)}\n`,
      },
    );
    chmodSync(join(place.root, 'bin/gemini-shim'), 0o755);
    const path = `${join(place.root, 'bin')}:${process.env['PATH'] ?? ''}`;
    await place.flow([], { PATH: path });
    const call = '--model flash --max-tokens 12 Say it.\n';
    expect(place.read('workspace/calls')).toBe(call.repeat(attempts));
    expect(place.told().steps['Ask']).toMatchObject({ status, exit_code: code });
  });
});

/** Resolves when a program that watches waits for the so many-th time. */
function waits(child: ChildProcess, times: number): Promise<void> {
  let heard = '';
  return new Promise((resolve) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      if (heard.split('waiting for a change').length > times) resolve();
    });
  });
}

describe('the program by the name `orchestrate`', () => {
  it('reports .gitignore once, and runs again when a file of the workspace changes', async () => {
    const place = projectWith(
      `steps:\n${sh('One', 'echo run >> artifacts/log; cat note', '    output_file: o.txt\n')}`,
      {
        '.gitignore': '',
        'workspace/note': 'first',
        'workspace/artifacts/log': '',
      },
    );
    const link = join(place.root, 'orchestrate');
    symlinkSync(program, link);
    const child = spawn(process.execPath, [link, 'watch', 'workflows/flow.yaml'], { cwd: place.root });
    const over = finished(child);
    const [first, second, third] = [waits(child, 1), waits(child, 2), waits(child, 3)];
    await first;
    // None of these two starts a run.
    place.write('README.md', '');
    place.write('workspace/artifacts/log', 'begun\n');
    place.write('workspace/note', 'second one');
    await second;
    place.write('workflows/flow.yaml', `${place.read('workflows/flow.yaml')}# Changed.\n`);
    await third;
    child.kill('SIGINT');
    const { stderr } = await over;
    expect(place.read('workspace/artifacts/One/o.txt')).toBe('second one');
    const changes = stderr.split('\n').filter((line) => / was (changed|added|removed)$/.test(line));
    expect(changes).toEqual(['workspace/note was changed', 'workflows/flow.yaml was changed']);
    expect(stderr.split('.gitignore')).toHaveLength(2);
  });
});
