import { afterEach, expect, it } from 'vitest';
import { CliProject } from '../support/clis.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

interface Why {
  readonly code: string;
  readonly reason: string;
  readonly cause: { readonly record: string } | null;
  readonly command: string | null;
}

const why = async (target: string) =>
  JSON.parse((await project.run(['why', target, '--json'])).stdout) as Why;

/** The words of a printed command, as a shell passes them on, with a text in place of the `…`. */
function wordsOf(command: string | null): string[] {
  const [program, ...words] = (command ?? '').match(/"[^"]*"|\S+/g) ?? [];
  expect(program).toBe('mailroom');
  return words.map((word) => word.replaceAll('"', '').replace('…', 'Blue'));
}

it('brings mail to its end by nothing but the commands that it names', async () => {
  project = playProject(smallTeam, {
    maker: `if (type === 'task') send('question', 'user', 'Red or blue?'); else send('done', 'user', mail[0]);`,
  });
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  await project.run(['pause', 'maker']);
  const codes: string[] = [];
  for (let step = 0; step < 10; step += 1) {
    const { code, command } = await why('maker');
    codes.push(code);
    if (code === 'no_mail') break;
    const words = wordsOf(command);
    const run = await project.run(words[0] === 'up' ? ['up', '--until-idle'] : words);
    // A controller in whose project everything is paused ends as stuck.
    expect([0, 1]).toContain(run.code);
  }
  const host = 'host_not_running';
  expect(codes).toEqual(['paused', host, 'waiting_for_user', host, 'no_mail']);
});

it('names the command that continues a run whose process is gone, and a gate', async () => {
  project = playProject(smallTeam, {});
  const text = [
    'name: ship',
    "version: '1'",
    'timeout: 1h',
    'steps:',
    "  ask: { gate: { message: 'Ship it?' } }",
    '  publish: { depends_on: [ask], command: [echo, published] }',
  ];
  project.write('workflows/ship.yaml', `${text.join('\n')}\n`);
  const first = project.start(['run', 'ship']);
  const end = finished(first);
  await said(first, 'asks: Ship it?');
  const [{ run } = { run: '' }] = JSON.parse((await project.run(['runs', '--json'])).stdout) as {
    run: string;
  }[];
  expect(await why(`${run}/publish`)).toMatchObject({
    code: 'needs',
    reason: 'ask waits for the approval of a person: “Ship it?”; publish needs ask',
    command: `mailroom approve ${run.slice(-6)} ask`,
  });
  first.kill('SIGKILL');
  await end;
  const left = await why(run);
  expect(left).toMatchObject({ code: 'host_not_running', command: `mailroom resume ${run.slice(-6)}` });
  const second = project.start(wordsOf(left.command));
  const over = finished(second);
  expect(await project.run(['approve', run, 'ask'])).toMatchObject({ code: 0 });
  await over;
  expect((await why(run)).code).toBe('succeeded');
});

it('names a run to ask about where a workflow is named instead', async () => {
  const text = 'name: ship\nversion: "1"\ntimeout: 5m\nsteps:\n  say: { command: [echo, shipped] }\n';
  project = playProject(smallTeam, {});
  project.write('workflows/release.yaml', text);
  const refused = (stderr: string) => ({ code: 2, stderr: expect.stringContaining(stderr) as string });
  const isWorkflow = (word: string) =>
    `error E_TARGET: \`${word}\` is a workflow; expected one of its runs\nhint: `;
  expect(await project.run(['why', 'ship'])).toMatchObject(
    refused(`${isWorkflow('ship')}it has no runs yet; start one with \`mailroom run ship\``),
  );
  expect(await project.run(['run', 'ship'])).toMatchObject({ code: 0 });
  const newest = `its newest run is \`${(await newestRun()).slice(-6)}\`; list all with \`mailroom runs\``;
  for (const word of ['ship', 'release', 'workflows/release.yaml'])
    expect(await project.run(['why', word])).toMatchObject(refused(isWorkflow(word) + newest));
  const end = (await newestRun()).slice(-6);
  expect(await project.run(['why', 'say'])).toMatchObject(
    refused(
      `error E_TARGET: \`say\` is a step of the run ${end}; expected \`<run>/<step>\`\n` +
        `hint: for that run: \`mailroom why ${end}/say\``,
    ),
  );
  for (const command of ['logs', 'pause'])
    expect(await project.run([command, 'ship'])).toMatchObject(refused(isWorkflow('ship') + newest));
  expect(await project.run(['retry', 'ship', 'say'])).toMatchObject(refused(isWorkflow('ship') + newest));
});

it('explains an entry of the inbox, also where there is nothing but a run', async () => {
  project = new TestProject({
    'w.yaml': 'name: w\nversion: "1"\ntimeout: 5m\nsteps:\n  ask: { gate: { message: "Ship it?" } }\n',
  });
  const run = project.start(['run', 'w.yaml']);
  const end = finished(run);
  await said(run, 'asks: Ship it?');
  expect(await project.run(['inbox'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^@1 {2}w waits for approval \(anyone may approve\): Ship it\?\n/,
    ) as string,
  });
  expect((await project.run(['status'])).stdout).not.toContain('problem');
  const { code, command } = await why('@1');
  expect(code).toBe('waiting_for_approval');
  expect(await project.run(wordsOf(command))).toMatchObject({ code: 0 });
  expect(await end).toMatchObject({ code: 0 });
  expect(await project.run(['inbox'])).toMatchObject({ code: 0, stdout: 'Nothing waits for you.\n' });
});

it('a run is paused, also beyond the death of its process, and unpaused', async () => {
  const wait = 'while ! test -e go; do sleep 0.05; done';
  project = new TestProject({
    'workflows/w.yaml': `name: w
version: "1"
timeout: 5m
steps:
  one: { command: [sh, -c, "${wait}"] }
  two: { command: [touch, two], depends_on: [one] }
`,
  });
  const run = project.start(['run', 'w', '--plain']);
  const end = finished(run);
  await said(run, 'one');
  const id = (JSON.parse((await project.run(['runs', '--json'])).stdout) as { run: string }[])[0]?.run ?? '';
  const paused = said(run, 'paused by ada');
  expect(await project.run(['pause', id.slice(-6)], { MAILROOM_USER: 'ada' })).toMatchObject({
    code: 0,
    stdout: `pause ${id}: done\n`,
  });
  await paused;
  expect(await project.run(['pause', id, '--now'])).toMatchObject({ code: 2 });
  const settles = said(run, 'one SUCCEEDED');
  project.write('go', '');
  await settles;
  expect(await why(id)).toMatchObject({
    code: 'paused',
    reason: 'the run is paused by ada',
    command: `mailroom unpause ${id.slice(-6)}`,
  });
  expect((await project.run(['status'])).stdout).toContain('paused by ada');
  run.kill('SIGKILL');
  await end;
  // What a person commands meanwhile is in the folder of the run, and counts there.
  await project.run(['unpause', id]);
  expect((await why(id)).reason).not.toContain('is paused by');
  await project.run(['pause', id], { MAILROOM_USER: 'eve' });
  expect(await why(id)).toMatchObject({
    code: 'host_not_running',
    reason: 'no process hosts the run; the run is paused by eve, from the start of its next process',
    command: `mailroom resume ${id.slice(-6)}`,
  });
  const next = project.start(['resume', id, '--plain']);
  const over = finished(next);
  await expect.poll(async () => (await why(id)).code).toBe('paused');
  expect(project.list('')).not.toContain('two');
  const { command } = await why(id);
  expect(await project.run(wordsOf(command))).toMatchObject({ code: 0 });
  expect(await over).toMatchObject({ code: 0 });
  expect(project.list('')).toContain('two');
  expect(await project.run(['pause', id])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the run is over') as string,
  });
});

const newestRun = async () => {
  const runs = JSON.parse((await project.run(['runs', '--json'])).stdout) as { run: string }[];
  return runs[0]?.run ?? '';
};

const lastCode = async () => (await why('last')).code;

const claudeAlone = `
name: one
version: "1"
roles:
  maker: { provider: claude, capabilities: [READ], retries: 0 }
messages:
  task: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

it('says that an agent program lacks a login, and repeats the message after one', async () => {
  project = new CliProject(
    { 'protocols/team.yaml': claudeAlone, 'mailroom.yaml': 'trail: off\n' },
    {
      claude: `
if (existsSync(env.MAILROOM_PROJECT + '/logged-in')) {
  send('done', 'user', 'Done.');
  return claude('done');
}
event({ type: 'result', subtype: 'success', is_error: true, result: 'Not logged in · Please run /login',
  session_id: 's', total_cost_usd: 0, modelUsage: {}, permission_denials: [] });
process.exitCode = 1;`,
    },
  );
  project.drop('agents/maker/inbox/task.md', 'Make it\n');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 1 });
  const { code, reason, cause, command } = await why('maker');
  expect(code).toBe('login_missing');
  expect(reason).toContain('claude is not allowed to use its model; run `claude` once and log in');
  expect(cause?.record).toBe('t1');
  expect(await why(cause?.record ?? '')).toMatchObject({ code, command });
  project.write('logged-in', '');
  expect(await project.run(wordsOf(command))).toMatchObject({ code: 0 });
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect((await why('maker')).code).toBe('no_mail');
});

it('names the run whose step uses the slots of the project, and the turn that does', async () => {
  project = new CliProject(
    {
      'protocols/team.yaml': claudeAlone,
      'mailroom.yaml': 'trail: off\nconcurrency: 1\n',
      'workflows/w.yaml': `name: w
version: "1"
timeout: 5m
triggers: { go: { files: [go], debounce: 50ms } }
steps: { build: { provider: claude, instructions: Build., capabilities: [READ] } }
`,
    },
    {
      claude: `
const end = env.MAILROOM_PROJECT + '/end-' + (env.MAILROOM_STEP ?? env.MAILROOM_ROLE);
await until(end);
if (env.MAILROOM_STEP === undefined) send('done', 'user', 'Done.');
claude('done');`,
    },
  );
  const up = project.start(['up', '--plain']);
  const end = finished(up);
  await said(up, 'roles');
  project.write('go', '1');
  await expect.poll(lastCode).toBe('running');
  const run = await newestRun();
  project.drop('agents/maker/inbox/task.md', 'Make it\n');
  const held = { code: 'slots_taken', cause: { record: `${run}/build` }, command: null };
  await expect
    .poll(() => why('maker'))
    .toMatchObject({
      ...held,
      reason: 'the only slot of the project is in use by runs of workflows',
    });
  expect(JSON.parse((await project.run(['status', '--json'])).stdout)).toMatchObject({
    roles: [{ name: 'user' }, { name: 'maker', why: held }],
  });
  project.write('end-build', '');
  await expect.poll(async () => (await why('maker')).code).toBe('running');
  project.write('go', '2');
  await expect.poll(newestRun).not.toBe(run);
  const second = await newestRun();
  await expect
    .poll(() => why(second))
    .toMatchObject({
      code: 'slots_taken',
      reason: 'build waits for a slot: roles or other runs use the only one of the project',
      cause: { record: 't1' },
    });
  project.write('end-maker', '');
  await expect.poll(async () => (await why(second)).code).toBe('succeeded');
  up.kill('SIGTERM');
  await end;
});
