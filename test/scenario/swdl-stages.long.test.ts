import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { TestProject } from '../support/project.ts';
import { played, stagesProject, type StagePlays } from '../support/stages.ts';

/*
 * What stages do when they fail, hand over, wait and multiply: through the real program, the agents are programs of the test.
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

describe('a stage that fails', () => {
  test('is tried again as its policy says, and its policy says what becomes of the others', async () => {
    const run = made(
      `
error_policy: { default_retry: { max_attempts: 3, initial_interval: 50ms } }
stages:
  - id: flaky
${agent('a')}    outputs: { n: { type: integer, required: true } }
  - id: named
${agent('a')}    error_policy: { retry: { non_retryable_errors: [merge_conflict] }, on_failure: continue }
  - id: after-named
    depends_on: [named]
    condition: "\${{ stages.named.status == 'failed' }}"
${agent('a')}
  - id: misser
${agent('a')}    outputs: { text: { type: string, required: true }, extra: { type: integer, default: 7 } }
  - id: hopeless
${agent('a')}    outputs: { text: { type: string, required: true } }
    error_policy: { on_failure: skip_dependents }
  - id: after-hopeless
    depends_on: [hopeless]
${agent('a')}
  - id: after-that
    depends_on: [after-hopeless, flaky]
${agent('a')}`,
      {
        flaky: "return again < 2 ? { error: { code: 'busy', message: 'not now' } } : { n: 1 };",
        named: "return { error: { code: 'merge_conflict', message: 'in a.txt' } };",
        misser: "return again < 1 ? {} : { text: 'here' };",
        hopeless: 'return { text: 5 };',
      },
    );
    expect((await run.run(['run', 'workflows/w.yaml'])).code).toBe(1);
    const { status, stages } = recordOf(run);
    expect(status).toBe('failed');
    expect(stages).toMatchObject({
      flaky: { status: 'success', attempt: 3, outputs: { n: 1 } },
      named: { status: 'failed', attempt: 1, reason: 'merge_conflict: in a.txt' },
      'after-named': { status: 'success' },
      misser: { status: 'success', attempt: 2, outputs: { text: 'here', extra: 7 } },
      hopeless: { status: 'failed', attempt: 2 },
      'after-hopeless': { status: 'skipped' },
      'after-that': { status: 'skipped' },
    });
    expect(promptOf(run, 'misser', '1.2')).toContain('`text` is missing');
  });

  test('halts the run where nothing else is said, and a wrong type of an input is its failure', async () => {
    const run = made(
      `
stages:
  - id: first
${agent('a')}    outputs: { n: { type: object, required: true } }
  - id: second
    depends_on: [first]
${agent('a')}    inputs: { n: { type: integer, source: "\${{ stages.first.outputs.n.x }}" } }
  - id: third
    depends_on: [second]
${agent('a')}`,
      { first: "return { n: { x: 'many' } };" },
    );
    expect((await run.run(['run', 'workflows/w.yaml'])).code).toBe(1);
    expect(recordOf(run).stages['second']).toMatchObject({
      status: 'failed',
      reason: 'the input `n` must be an integer, and is a string',
    });
    expect(statuses(run)['third']).toBe('skipped');
    expect(played(run)).toEqual(['first']);
  });
});

describe('a run that is rolled back', () => {
  test('leaves the files as they were, keeps what was undone, and cannot continue', async () => {
    const run = made(
      `
error_policy: { on_stage_failure: rollback, default_retry: { max_attempts: 1 } }
stages:
  - id: edits
${agent('a')}
  - id: fails
    depends_on: [edits]
${agent('a')}
hooks:
  on_failure: { run: "cp kept.txt at-the-end.log" }
`,
      {
        edits:
          "writeFileSync(project + '/kept.txt', 'edited'); writeFileSync(project + '/new/a.txt', 'new');\n" +
          "writeFileSync(project + '/untracked.txt', 'edited, too'); (await import('node:fs')).rmSync(project + '/gone.txt');",
        fails: "return { error: { code: 'no', message: 'it does not work' } };",
      },
      {
        '.gitignore': '*.log\nnew/b\n.mailroom/\n',
        'kept.txt': 'as it was',
        'gone.txt': 'there',
        'new/b': 'ignored',
      },
    );
    const git = (...args: string[]) => execFileSync('git', args, { cwd: run.root, encoding: 'utf8' });
    const refused = await run.run(['run', 'workflows/w.yaml']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not a git working tree')]);
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'begin');
    run.write('untracked.txt', 'never added');
    const ran = await run.run(['run', 'workflows/w.yaml']);
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining('rolled back: 4 files')]);
    expect(ran.stdout).toMatch(/details: mailroom show \w+\n$/);
    expect(git('status', '--porcelain')).toBe('?? untracked.txt\n');
    expect([run.read('kept.txt'), run.read('gone.txt'), run.read('untracked.txt')]).toEqual([
      'as it was',
      'there',
      'never added',
    ]);
    expect(run.list('new')).toEqual(['b']);
    expect(run.read('at-the-end.log')).toBe('as it was');
    const [id = ''] = run.list('.mailroom/runs');
    expect(run.read(`.mailroom/runs/${id}/rolled-back.patch`)).toContain('+edited, too');
    const again = await run.run(['resume', id]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('this run was rolled back')]);
    git('apply', `.mailroom/runs/${id}/rolled-back.patch`);
    expect([run.read('kept.txt'), run.read('new/a.txt')]).toEqual(['edited', 'new']);
  });
});

describe('what a stage hands over', () => {
  test('comes as its dependents are to have it, with its summary and its log', async () => {
    const run = made(
      `
context: { global_modules: ["ctx:rules"], memory: { categories: [pattern], max_tokens: 10 } }
stages:
  - id: plain
${agent('a')}    outputs: { text: { type: string }, none: { type: string } }
  - id: worded
${agent('a')}    outputs: { text: { type: string }, list: { type: "array<string>" }, none: { type: string } }
    handoff: { format: markdown, include_run_log: true, summary_prompt: "Shorten it for \${{ workflow.id }}." }
  - id: raw
${agent('a')}    outputs: { text: { type: string } }
    handoff: { format: raw }
  - id: last
    depends_on: [plain, worded, raw]
    roles: { primary: { artifact: "agent:a" }, tools: ["skill:git"] }
    context: { modules: ["ctx:more", "ctx:rules"], memory: { min_confidence: 0.9 } }
    inputs:
      absent: { type: string, source: "\${{ stages.plain.outputs.none }}" }
      files: { type: object, source: "\${{ context.repo_structure }}" }
`,
      {
        plain: "return { text: '```\\nend' };",
        worded:
          "if (prompt.includes('Shorten')) return {};\nconsole.log('-'.repeat(9_000));\nreturn { text: 'hi', list: ['x'] };",
        raw: "return { text: 'not seen' };",
      },
      {
        'memory/sure.md': '---\ncategory: pattern\nconfidence: 0.95\n---\nSure enough\n',
        'memory/unsure.md': '---\ncategory: pattern\nconfidence: 0.8\n---\nNot sure\n',
        'memory/other.md': '---\ncategory: decision\n---\nOther\n',
        'memory/long.md': `---\ncategory: pattern\n---\n${'long '.repeat(20)}\n`,
      },
    );
    const ran = await run.run(['run', 'workflows/w.yaml']);
    expect([ran.stderr, ran.code]).toEqual([expect.any(String), 0]);
    const prompt = promptOf(run, 'last');
    expect(prompt).toContain('`handed over by plain`\n\n````json\n{\n  "text": "```\\nend"\n}\n````');
    expect(prompt).toContain('`handed over by worded`\n\n```\n## text\n\nhi\n\n## list\n\n["x"]\n\n```');
    expect(prompt).toContain('`handed over by raw`\n\n```\nsaid by raw\n```');
    expect(prompt).toMatch(/`end of the log of worded`\n\n```\n-{8176}\nsaid by worded\n```/);
    expect(prompt).toContain('`summary of worded`\n\n```\nsaid by worded\n```');
    expect(prompt).not.toContain('`absent`');
    expect(prompt).toContain('### ctx:rules\n\nAbout rules.\n\n### ctx:more\n\nAbout more.');
    expect(prompt).toContain('## What is remembered\n\n- (pattern) Sure enough\n\n## Tools');
    expect(prompt).toContain('- the skill `git` (`.claude/skills/git/SKILL.md`): Can git.\n');
    expect(promptOf(run, 'worded', '1.1.1')).toMatch(/Change nothing[^]*Shorten it for w\.[^]*"text": "hi"/);
    expect(played(run).filter((stage) => stage === 'worded')).toHaveLength(2);
  });

  test('needs no summary to be complete: without one there is a warning', async () => {
    const run = made(
      `
stages:
  - id: a
${agent('a')}    handoff: { summary_prompt: Shorten it. }
  - id: b
    depends_on: [a]
${agent('a')}`,
      { a: "if (prompt.includes('Shorten')) process.exit(2);" },
    );
    const ran = await run.run(['run', 'workflows/w.yaml', '--json']);
    expect(ran.code).toBe(0);
    expect((JSON.parse(ran.stdout) as { warnings: string[] }).warnings).toEqual([
      expect.stringMatching(/^a: its summary is missing: /),
    ]);
    expect(promptOf(run, 'b')).not.toContain('summary of a');
  });
});

describe('a fan-out', () => {
  test('runs its template for each item, and its outputs are a list in the order of the items', async () => {
    const run = made(
      `
stages:
  - id: list
${agent('a')}    outputs: { suites: { type: "array<string>", required: true } }
  - id: each
    depends_on: [list]
    type: fan_out
    fan_out:
      source: "\${{ stages.list.outputs.suites }}"
      stage_template:
        roles: { primary: { artifact: "agent:runner", instructions: "Run \${{ item }}." } }
        inputs: { suite: { type: string, source: "\${{ item }}", required: true } }
        outputs: { passed: { type: boolean, required: true }, name: { type: string } }
        error_policy: { retry: { initial_interval: 50ms } }
  - id: sum
    depends_on: [each]
    condition: "\${{ length(stages.each.outputs) == 2 }}"
${agent('a')}    inputs: { all: { type: array, source: "\${{ stages.each.outputs }}" } }
`,
      {
        list: "return { suites: ['unit', 'e2e'] };",
        each: "if (again === 0) return { error: { code: 'busy', message: '' } };\nreturn { passed: true, name: /Run (\\w+)\\./.exec(prompt)[1] };",
      },
    );
    expect((await run.run(['run', 'workflows/w.yaml'])).code).toBe(0);
    expect(recordOf(run).stages['each']?.outputs).toEqual([
      { passed: true, name: 'unit' },
      { passed: true, name: 'e2e' },
    ]);
    expect(statuses(run)['sum']).toBe('success');
    expect(promptOf(run, 'sum')).toContain('"name": "e2e"');
  });
});

describe('a project', () => {
  test('changes a shared workflow, and hears of its end', async () => {
    const run = made(
      `
stages:
  - id: one
    roles: { primary: { artifact: "agent:a" }, tools: ["skill:x", "skill:y"] }
    error_policy: { retry: { max_attempts: 5 } }
hooks:
  on_start: { notify: "log:#begin \${{ workflow.id }}" }
  on_complete: { notify: "tell:#room", run: "node hook.mjs 'two words' \${{ run.id }} \${{ stages.one.outputs.text }}" }
`,
      { one: "return { text: 'a b; c' };" },
      {
        'mailroom.yaml':
          'providers: { play: { command: [node, play.mjs] } }\ndefaults: { provider: play }\nnotify: { tell: [node, hook.mjs] }\ntrail: off\nsandbox: off\n',
        'hook.mjs':
          "import { appendFileSync } from 'node:fs'; appendFileSync('heard.log', JSON.stringify(process.argv.slice(2)) + '\\n');\n",
        'workflows/overrides.yaml':
          'overrides:\n  w:\n    stages:\n      one:\n        roles: { primary: { artifact: "agent:mine", model: sonnet }, tools: ["skill:z"] }\n        outputs: { text: { type: string } }\n',
        'agents/mine/role.md': 'You are mine.\n',
        '.claude/skills/z/SKILL.md': 'Z\n',
      },
    );
    const planned = await run.run(['plan', 'w']);
    expect(planned.stdout).toContain('Agent: agent:mine (sonnet)\n');
    expect(planned.stdout).toContain('Tools: skill:z\n');
    expect((await run.run(['run', 'w'])).code).toBe(0);
    const [id = ''] = run.list('.mailroom/runs');
    const heard = run
      .read('heard.log')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string[]);
    expect(heard.toSorted((a, b) => a.length - b.length)).toEqual([
      ['#room', 'w has succeeded'],
      ['two words', id, 'a b; c'],
    ]);
    expect(run.read(`.mailroom/runs/${id}/hooks/start/notify`)).toBe('log:#begin w w has begun\n');
  });

  test('gets beginnings of what a workflow refers to', async () => {
    const run = made(
      `stages:\n  - id: one\n    roles: { primary: { artifact: "agent:a" }, tools: ["skill:x"] }\n`,
      {},
    );
    const { rmSync } = await import('node:fs');
    for (const folder of ['agents', '.claude']) rmSync(`${run.root}/${folder}`, { recursive: true });
    const ran = await run.run(['init', '--for', 'workflows/w.yaml', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      written: ['agents/a/role.md', '.claude/skills/x/SKILL.md'],
    });
    expect((await run.run(['validate', 'w'])).stderr).toBe('');
  });
});
