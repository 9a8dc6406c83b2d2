import { watch } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { playProject, smallTeam, type Plays } from '../support/play.ts';
import { finished, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

/** One step that a role does, and one after it that needs what it made. */
const workflow = (role: string, more = '') => `
name: with-roles
version: "1"
timeout: 5m
steps:
  build:
    role: ${role}
    instructions: Build it.
    outputs: [{ name: plan, path: plan.md, required: true }]
    values: { good: { type: boolean, required: true } }
${more}
  after:
    command: [cat, plan.md]
    capabilities: [READ]
    depends_on: [build]
    when: "\${{ steps.build.values.good == true }}"
`;

function begin(plays: Plays, more = ''): void {
  const files = { 'workflows/ship.yaml': workflow('maker', more), '.mailroom/.here': '' };
  project = playProject(smallTeam, plays, files);
}

interface Document {
  readonly status: string;
  readonly steps: Record<string, { status: string; attempts: number; reason: string | null; values: object }>;
}

const documentOf = (stdout: string) => JSON.parse(stdout) as Document;

const run = async (args: readonly string[] = ['run', 'ship', '--json']) =>
  documentOf((await project.run(args)).stdout);

const done = `console.log('The plan.'); writeFileSync(process.env.MAILROOM_VALUES, '{"good": true}');`;
const succeeded = {
  status: 'SUCCEEDED',
  steps: {
    build: { status: 'SUCCEEDED', attempts: 1, values: { good: true } },
    after: { status: 'SUCCEEDED' },
  },
};

/** The turns that a role had. */
const turnsOf = (role: string) => project.read(`${role}.log`).trim().split('\n').length;

it('has a role do a step, without up: the run moves the mail', async () => {
  begin({
    maker: `if (type === 'step') send('review', 'checker', prompt); else { ${done} }`,
    checker: `send('verdict', 'maker', mail[0], 'fields: { good: true }\\n');`,
  });
  expect(await run()).toMatchObject(succeeded);
  expect(project.read('plan.md')).toBe('The plan.\n');
  expect(turnsOf('maker')).toBe(2);
  expect(project.survivors()).toEqual([]);
  expect(project.list('.mailroom/incoming')).toEqual([]);
});

it('leaves the mail to up where that runs, and needs it no longer than the step takes', async () => {
  begin({ maker: done });
  const up = project.start(['up', '--plain']);
  await appears(`${project.root}/.mailroom/lock.json`);
  expect(await run()).toMatchObject(succeeded);
  expect(turnsOf('maker')).toBe(1);
  const status = JSON.parse((await project.run(['status', '--json'])).stdout) as {
    controller: { pid: number };
  };
  expect(status.controller.pid).toBe(up.pid);
  up.kill('SIGTERM');
  await finished(up);
});

/** Holds a turn until the test lets it go. */
const held = `
const { existsSync, watch } = await import('node:fs');
writeFileSync(project + '/flags/begun', '');
await new Promise((resolve) => {
  const watcher = watch(project + '/flags', look);
  function look() {
    if (!existsSync(project + '/flags/go')) return;
    watcher.close();
    resolve();
  }
  look();
});
${done}`;

function beginHeld(): void {
  begin({ maker: held });
  project.write('flags/here', '');
}

it('has the step done once when the run is killed: the next one takes the answer', async () => {
  beginHeld();
  const up = project.start(['up', '--plain']);
  await appears(`${project.root}/.mailroom/lock.json`);
  const killed = project.start(['run', 'ship']);
  const ended = finished(killed);
  await appears(`${project.root}/flags/begun`);
  killed.kill('SIGKILL');
  await ended;
  project.write('flags/go', '');
  const [id = ''] = project.list('.mailroom/runs');
  expect(await run(['resume', id, '--json'])).toMatchObject(succeeded);
  expect(turnsOf('maker')).toBe(1);
  up.kill('SIGTERM');
  await finished(up);
});

it('continues with the mail when up is killed: the turn is tried again, the step is done', async () => {
  beginHeld();
  const up = project.start(['up', '--plain']);
  const gone = finished(up);
  await appears(`${project.root}/.mailroom/lock.json`);
  const child = project.start(['run', 'ship', '--json']);
  const ended = finished(child);
  await appears(`${project.root}/flags/begun`);
  up.kill('SIGKILL');
  await gone;
  project.write('flags/go', '');
  expect(documentOf((await ended).stdout)).toMatchObject(succeeded);
  expect(turnsOf('maker')).toBe(2);
  expect(project.survivors()).toEqual([]);
});

const hooked = `
name: hooked
version: "1"
timeout: 1m
triggers:
  hook: { webhook: /hooks/ship, secret: HOOK_SECRET }
steps:
  say: { command: [echo, hello] }
`;

it('withdraws the step of a run that is cancelled', async () => {
  beginHeld();
  project.write('workflows/hooked.yaml', hooked);
  const child = project.start(['run', 'ship', '--json']);
  const ended = finished(child);
  await appears(`${project.root}/flags/begun`);
  // Meanwhile the run holds the place of `up`, and nobody serves triggers.
  expect(JSON.parse((await project.run(['status', '--json'])).stdout)).toMatchObject({
    controller: { pid: child.pid, triggers: false },
    triggers: [{ active: false, why: 'a run moves the mail, and only `mailroom up` serves triggers' }],
  });
  expect((await project.run(['up'])).stderr).toContain('a run moves the mail for its roles until it is over');
  const [id = ''] = project.list('.mailroom/runs');
  expect(await project.run(['cancel', id])).toMatchObject({ code: 0 });
  expect((await ended).code).toBe(130);
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  const status = JSON.parse((await project.run(['status', '--json'])).stdout) as {
    threads: { state: string }[];
  };
  expect(status.threads.map(({ state }) => state)).toEqual(['failed']);
  expect(turnsOf('maker')).toBe(1);
});

it('puts the turn back when the run is stopped, and ends the step when it continues', async () => {
  beginHeld();
  const child = project.start(['run', 'ship']);
  const ended = finished(child);
  await appears(`${project.root}/flags/begun`);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130 });
  expect(project.survivors()).toEqual([]);
  project.write('flags/go', '');
  const [id = ''] = project.list('.mailroom/runs');
  expect(await run(['resume', id, '--json'])).toMatchObject(succeeded);
});

it('fails with the reason when its role fails, and is tried again where it may be', async () => {
  begin({ maker: `process.exit(times < 5 ? 1 : 0);` }, '    on_failure: retry\n    max_retries: 1');
  const document = await run();
  expect(document).toMatchObject({ status: 'FAILED', steps: { build: { attempts: 2, status: 'FAILED' } } });
  expect(document.steps['build']?.reason).toContain('`plan`');
});

it('asks a person, who answers by reply', async () => {
  begin({});
  project.write('protocols/team.yaml', smallTeam.replace('roles:', 'roles:\n  ada: { provider: human }'));
  project.write('workflows/ship.yaml', workflow('ada'));
  const child = project.start(['run', 'ship', '--json']);
  const ended = finished(child);
  project.write('agents/ada/inbox/.keep', '');
  await someMail('ada');
  const [row] = JSON.parse((await project.run(['trail', '--json'])).stdout) as { id: string; from: string }[];
  expect(row).toMatchObject({ type: 'step', from: 'workflow', to: ['ada'] });
  const answer = ['reply', row?.id ?? '', '--as', 'ada', '--message', 'My plan.', '--field', 'good=true'];
  expect(await project.run(answer)).toMatchObject({ code: 0 });
  expect(documentOf((await ended).stdout)).toMatchObject(succeeded);
  expect(project.read('plan.md')).toBe('My plan.\n');
});

/** Resolves when a message lies in the inbox of a role. */
function someMail(role: string): Promise<void> {
  return new Promise((resolve) => {
    const here = () => project.list(`agents/${role}/inbox`).some((name) => name.endsWith('.md'));
    const watcher = watch(`${project.root}/agents/${role}/inbox`, () => {
      if (!here()) return;
      watcher.close();
      resolve();
    });
    if (!here()) return;
    watcher.close();
    resolve();
  });
}
