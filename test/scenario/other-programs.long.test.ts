import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { CliProject } from '../support/clis.ts';

let project: CliProject;
afterEach(() => project.remove());

/** A loop of work and review, with the keys and variables that another program reads in such files. */
const loop = `
name: work-and-review
version: "1"
timeout: "60m"
concurrency: 1
create_branch: true
branch_transition_step: "branch"

steps:
  bootstrap:
    worker: CUSTOM
    instructions: |
      bash "\${TOOL_ROOT:-\${OLD_TOOL_ROOT:-.}}/bootstrap.sh"
    capabilities: [READ, EDIT, RUN_COMMANDS]
    timeout: "2m"

  branch:
    worker: CUSTOM
    depends_on: [bootstrap]
    instructions: |
      git switch -q -c "work/\${TOPIC:-none}"
    capabilities: [READ, RUN_COMMANDS]

  cycle:
    workflow: "./part.yaml"
    depends_on: [branch]
    bubble_subworkflow_events: true
    exports_mode: replace
    exports: [{ from: count, artifact: count }]
    completion_check:
      worker: CUSTOM
      instructions: |
        set -euo pipefail
        test "$(cat count)" -ge 2
      capabilities: [READ, RUN_COMMANDS]
    max_iterations: 5

  implement:
    agent: implementer
    depends_on: [cycle]
    instructions: Do what .loop/fix.md says, else what the request says.
    timeout: "45m"
    on_failure: retry
    max_retries: 1
    convergence: { enabled: true, stall_threshold: 2, max_stage: 3, fail_on_max_stage: true }
    completion_check:
      worker: CLAUDE_CODE
      model: reviewer
      variant: "xhigh"
      decision_file: ".loop/verdict"
      instructions: |
        Write .loop/review.md, and {"decision":"complete","check_id":"$TOOL_COMPLETION_CHECK_ID"} or the same
        with "incomplete" as one line into .loop/verdict.
      capabilities: [READ, EDIT, RUN_COMMANDS]
      timeout: "15m"
    max_iterations: 5
    on_iterations_exhausted: abort
    outputs:
      - { name: review, path: ".loop/review.md", type: review }
      - { name: verdict, path: ".loop/verdict", type: text }
`;

const part = `
name: part
version: "1"
timeout: "1m"
steps:
  count:
    worker: CUSTOM
    instructions: |
      n=$(($(cat count 2>/dev/null || echo 0) + 1))
      echo "$n" > count
      echo "$TOPIC" > topic
    capabilities: [READ, EDIT, RUN_COMMANDS]
    outputs: [{ name: count, path: count }]
`;

const agents = `
version: "1"
agents:
  implementer:
    description: Implements.
    worker: CLAUDE_CODE
    model: maker
    capabilities: [READ, EDIT, RUN_TESTS, RUN_COMMANDS, MAILBOX, TASKS]
    base_instructions: |
      You are the implementer.
`;

/** The reviewer is content with the second round, and writes the id that its instructions name. */
const claude = `
const at = (path) => env.MAILROOM_WORKSPACE + '/.loop/' + path;
const model = argv[argv.indexOf('--model') + 1];
if (model === 'maker') {
  appendFileSync(at('rounds'), prompt.includes('You are the implementer.') ? 'told\\n' : 'untold\\n');
} else {
  const [, id] = /"check_id":"([^"]*)"\\} or the same/.exec(prompt);
  const decision = readFileSync(at('rounds'), 'utf8').split('told').length > 2 ? 'complete' : 'incomplete';
  writeFileSync(at('review.md'), argv[argv.indexOf('--effort') + 1] + ' ' + env.TOOL_COMPLETION_CHECK_ID.length + '\\n');
  writeFileSync(at('verdict'), JSON.stringify({ decision, check_id: id, reasons: ['more'], fingerprints: ['more'] }));
}
claude('done');`;

describe('files that another program runs, too', () => {
  it('run unchanged: branches, sub-workflows until they are complete, agents, variants and checks', async () => {
    project = new CliProject(
      {
        'mailroom.yaml': 'trail: off\n',
        'flows/loop.yaml': loop,
        'flows/part.yaml': part,
        'flows/agents.yaml': agents,
      },
      { claude },
    );
    project.write('tool/bootstrap.sh', 'mkdir -p .loop\n');
    for (const words of [
      ['init', '-q', '-b', 'main', '.'],
      ['commit', '-q', '--allow-empty', '-m', 'first'],
    ])
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: project.root });
    const shell = { TOOL_ROOT: `${project.root}/tool`, TOPIC: 'one' };
    // The variables of a shell reach no step by themselves, and the options that pass them are named.
    const inherited = ['--inherit', 'TOOL_ROOT', '--inherit', 'TOPIC'];
    expect(await project.run(['run', 'flows/loop.yaml'], shell)).toMatchObject({
      code: 1,
      stderr:
        'variables of your shell that scripts read and do not get: TOOL_ROOT (bootstrap), TOPIC (branch, cycle/count)\n' +
        `to pass them: ${inherited.join(' ')}\n`,
    });
    const ran = await project.run(['run', 'flows/loop.yaml', '--json', ...inherited], shell);
    expect(ran.stderr).not.toContain('shell');
    expect(JSON.parse(ran.stdout)).toMatchObject({
      status: 'SUCCEEDED',
      steps: { cycle: { status: 'SUCCEEDED' }, implement: { status: 'SUCCEEDED', iterations: 2 } },
    });
    expect(project.read('.loop/rounds')).toBe('told\ntold\n');
    expect(project.read('.git/HEAD')).toContain('work/one');
    expect(project.read('context/cycle/count/count')).toBe('2\n');
    // A sub-workflow gets the inherited variables, too.
    expect(project.read('topic')).toBe('one\n');
    expect(project.read('context/implement/review/review.md')).toMatch(/^xhigh [1-9]/);
  });

  it('keep the inherited variables when an edited file continues, in sub-workflows too', async () => {
    const whole = 'name: whole\nversion: "1"\ntimeout: 1m\nsteps: { cycle: { workflow: ./part.yaml } }\n';
    const failing = part.replace('echo "$TOPIC" > topic', 'exit 3');
    const flows = { 'flows/whole.yaml': whole, 'flows/part.yaml': failing };
    project = new CliProject({ 'mailroom.yaml': 'trail: off\n', ...flows }, {});
    const first = await project.run(['run', 'flows/whole.yaml', '--inherit', 'TOPIC'], { TOPIC: 'one' });
    expect(first.code).toBe(1);
    project.write('flows/part.yaml', part);
    // The value comes from the shell of the command that continues the run.
    expect(await project.run(['resume', 'last', '--update'], { TOPIC: 'two' })).toMatchObject({ code: 0 });
    expect(project.read('topic')).toBe('two\n');
  });

  it('refuse a variable that has no name', async () => {
    project = new CliProject({ 'flows/part.yaml': part }, {});
    const { code, stderr } = await project.run(['run', 'flows/part.yaml', '--inherit', 'TOPIC=one']);
    expect(code).toBe(2);
    expect(stderr).toContain('`--inherit` must be the name of a variable, not `TOPIC=one`');
  });
});
