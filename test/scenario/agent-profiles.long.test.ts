import { afterEach, describe, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { CliProject } from '../support/clis.ts';

const { bubblewrap } = await probeContainment();

let project: CliProject;
afterEach(() => project.remove());

/** Writes down with what it was started, and tries to change the agents of the configuration. */
const looks = `
const model = argv[argv.indexOf('--model') + 1];
let changed = true;
try { appendFileSync(env.MAILROOM_PROJECT + '/agents.yaml', '# changed\\n'); } catch { changed = false; }
const told = ['Be careful.', 'Look at it.', 'You are the maker.'].filter((words) => prompt.includes(words));
const seen = JSON.stringify({ model, level: env.LEVEL, own: env.OWN, told, changed });
writeFileSync(env.MAILROOM_PROJECT + '/' + (env.MAILROOM_STEP ?? env.MAILROOM_ROLE) + '.json', seen);
if (env.MAILROOM_STEP === undefined) send('done', 'user', 'Done.');
claude('done');`;

const agents = `
agents:
  careful:
    provider: claude
    model: opus
    capabilities: [READ, EDIT]
    instructions: Be careful.
    timeout: 1m
    env: { LEVEL: high, OWN: agent }
  quick: { provider: claude, model: haiku, capabilities: [READ, EDIT] }
`;

const team = `
name: one
version: "1"
roles:
  maker: { agent: careful, retries: 0, env: { OWN: role } }
messages:
  task: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

const work = `
name: look
version: "1"
timeout: 5m
parameters: { who: { type: string, required: true } }
steps:
  static: { agent: careful, model: sonnet, instructions: Look at it. }
  chosen:
    agent: \${{ parameters.who }}
    instructions: Look at it.
    env: { OWN: step }
    depends_on: [static]
`;

const cameTo = (name: string) => JSON.parse(project.read(`${name}.json`)) as unknown;
/** Without a sandbox nothing keeps a program from files that it may edit. */
const changed = !bubblewrap.works;

describe('agents of the configuration', () => {
  it('set what a role does not set itself, and are not changed by it', async () => {
    project = new CliProject({ 'protocols/team.yaml': team, 'agents.yaml': agents }, { claude: looks });
    project.write('agents/maker/role.md', 'You are the maker.\n');
    project.drop('agents/maker/inbox/task.md', 'Make it\n');
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    const told = ['Be careful.', 'You are the maker.'];
    expect(cameTo('maker')).toEqual({ model: 'opus', level: 'high', own: 'role', told, changed });
  });

  it('bound what a turn of a role and a step may cost', async () => {
    const costly = agents.replace('timeout: 1m', 'timeout: 1m\n    budget: { usd: 5 }');
    project = new CliProject(
      {
        'protocols/team.yaml': team.replace('start:', 'limits: { budget: { thread: { usd: 1 } } }\nstart:'),
        'workflows/look.yaml': work.replace('timeout: 5m', 'timeout: 5m\nbudget: { usd: 1 }'),
        'agents.yaml': costly,
      },
      { claude: looks },
    );
    project.drop('agents/maker/inbox/task.md', 'Make it\n');
    const up = await project.run(['up', '--until-idle']);
    expect(up.stdout).toContain('E_BUDGET');
    expect(project.list('.')).not.toContain('maker.json');
    const ran = await project.run(['run', 'look', '--param', 'who=careful', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      status: 'FAILED',
      reason: expect.stringContaining('budget') as string,
    });
    expect(project.list('.')).not.toContain('static.json');
  });

  it('set what a step does not set itself, also where an expression chooses one', async () => {
    project = new CliProject(
      { 'workflows/look.yaml': work, 'mailroom.yaml': agents, 'agents.yaml': 'agents: {}\n' },
      { claude: looks },
    );
    expect(await project.run(['run', 'look', '--param', 'who=quick'])).toMatchObject({ code: 0 });
    const told = ['Be careful.', 'Look at it.'];
    expect(cameTo('static')).toEqual({ model: 'sonnet', level: 'high', own: 'agent', told, changed });
    expect(cameTo('chosen')).toEqual({ model: 'haiku', own: 'step', told: ['Look at it.'], changed });
    expect(JSON.parse((await project.run(['show', 'last', '--json'])).stdout)).toMatchObject({
      steps: { static: { agent: 'careful' }, chosen: { agent: 'quick' } },
    });
    const { stdout: shown } = await project.run(['show', 'last']);
    expect(shown).toMatch(/^STEP +AGENT +STATUS/m);
    expect(shown).toMatch(/^static +careful +SUCCEEDED.*\nchosen +quick +SUCCEEDED/m);
    const plan = await project.run(['plan', 'look', '--param', 'who=quick']);
    expect(plan.stdout).toContain(
      '    agent        careful, which sets provider, capabilities, instructions, timeout, env\n',
    );
    expect(plan.stdout).toContain(
      '    agent        careful, which sets provider, model, capabilities, instructions, timeout, env; ' +
        'or quick, which sets provider, model, capabilities\n',
    );
  });

  it('end a silent worker of a step, also where an expression chooses one', async () => {
    const patient = agents.replace('READ, EDIT] }', 'READ, EDIT], idle_timeout: 1s }');
    const silent = work.replace('agent: careful, model: sonnet,', 'agent: quick, on_failure: continue,');
    project = new CliProject(
      { 'workflows/look.yaml': silent, 'agents.yaml': patient },
      { claude: 'setInterval(() => {}, 60_000);' },
    );
    const { code, stdout } = await project.run(['run', 'look', '--param', 'who=quick', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      steps: { static: { error_code: 'E_STALLED' }, chosen: { error_code: 'E_STALLED' } },
    });
  });

  it('are read beside a workflow, too, in the spelling of other programs', async () => {
    const beside = `
version: "1"
agents:
  careful:
    description: Looks twice.
    worker: CLAUDE_CODE
    model: opus
    variant: high
    capabilities: [READ, EDIT, MAILBOX, TASKS]
    base_instructions: Be careful.
    max_steps: 7
`;
    const says = `
const after = (name) => argv[argv.indexOf(name) + 1];
const seen = { model: after('--model'), effort: after('--effort'), turns: after('--max-turns'), told: prompt.includes('Be careful.') };
writeFileSync(env.MAILROOM_WORKSPACE + '/' + env.MAILROOM_STEP + '.json', JSON.stringify(seen));
claude('done');`;
    const chosen = work.replace('agent: careful, model: sonnet', 'agent: careful, variant: low');
    project = new CliProject(
      { 'workflows/team/look.yaml': chosen, 'workflows/team/agents.yaml': beside },
      { claude: says },
    );
    // The file is not taken for a workflow.
    expect((await project.run(['validate'])).stdout).toContain('ok: 1 workflow');
    expect(await project.run(['run', 'look', '--param', 'who=careful'])).toMatchObject({ code: 0 });
    const seen = { model: 'opus', turns: '7', told: true };
    expect(cameTo('static')).toEqual({ ...seen, effort: 'low' });
    expect(cameTo('chosen')).toEqual({ ...seen, effort: 'high' });
  });

  it('set what a completion check does not set itself', async () => {
    const checks = `
if (env.MAILROOM_COMPLETION_CHECK_ID === undefined) { claude('made'); process.exit(); }
const seen = { model: argv[argv.indexOf('--model') + 1], level: env.LEVEL, own: env.OWN, told: prompt.includes('Be careful.') };
writeFileSync(env.MAILROOM_WORKSPACE + '/check.json', JSON.stringify(seen));
writeFileSync(env.MAILROOM_WORKSPACE + '/decision', 'PASS');
claude('checked');`;
    const checked = `
name: look
version: "1"
timeout: 5m
steps:
  make:
    agent: quick
    instructions: Make it.
    env: { OWN: step }
    completion_check:
      agent: careful
      model: sonnet
      instructions: Is it made?
      decision_file: decision
      env: { LEVEL: low }
    max_iterations: 2
`;
    project = new CliProject({ 'workflows/look.yaml': checked, 'agents.yaml': agents }, { claude: checks });
    expect(await project.run(['run', 'look'])).toMatchObject({ code: 0 });
    expect(cameTo('check')).toEqual({ model: 'sonnet', level: 'low', own: 'agent', told: true });
  });

  it('are named in a diagram where an expression chooses one', async () => {
    project = new CliProject({ 'workflows/look.yaml': work, 'agents.yaml': agents }, { claude: looks });
    expect((await project.run(['graph', 'look'])).stdout).toContain('careful or quick');
  });

  it('fail a step whose expression chooses one that does not exist, before it starts', async () => {
    project = new CliProject({ 'workflows/look.yaml': work, 'agents.yaml': agents }, { claude: looks });
    const ran = await project.run(['run', 'look', '--param', 'who=quik']);
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).toContain('no agent is called `quik`; there are `careful`, `quick`');
    expect(() => cameTo('chosen')).toThrowError('ENOENT');
    project.write('agents.yaml', agents.replace('quick:', 'quik:'));
    const resumed = await project.run(['resume', 'last']);
    expect(resumed.code).toBe(1);
    expect(resumed.stderr).toContain('workflows/look.yaml or a file that it uses was edited since');
    expect(await project.run(['resume', 'last', '--update'])).toMatchObject({ code: 0 });
    expect(cameTo('chosen')).toMatchObject({ model: 'haiku' });
  });

  it('are reported by check where no role and no step uses them', async () => {
    const unused = `${agents}  idle: { provider: claude }\n`;
    project = new CliProject({ 'protocols/team.yaml': team, 'agents.yaml': unused }, { claude: looks });
    const checked = await project.run(['check']);
    expect(checked.code).toBe(0);
    expect(checked.stderr).toContain(
      'agents.yaml:10:3: warning E_PROTOCOL: no role and no step uses the agent `quick`',
    );
    expect(checked.stderr).toContain(
      'agents.yaml:11:3: warning E_PROTOCOL: no role and no step uses the agent `idle`',
    );
    expect(checked.stderr).not.toContain('the agent `careful`');
    // A completion check uses one, too.
    const check = 'completion_check: { agent: idle, instructions: Well? }, max_iterations: 2';
    project.write(
      'workflows/look.yaml',
      work.replace(/ {2}static.*/, `  static: { command: [make], ${check} }`),
    );
    project.write(
      'workflows/look.yaml',
      project.read('workflows/look.yaml').replace('${{ parameters.who }}', 'careful'),
    );
    const used = (await project.run(['check'])).stderr;
    expect(used).toContain('the agent `quick`');
    expect(used).not.toContain('the agent `idle`');
    // A step whose expression may choose any of them uses them all.
    project.write('workflows/look.yaml', work);
    expect((await project.run(['check'])).stderr).not.toContain('no role and no step');
  });
});
