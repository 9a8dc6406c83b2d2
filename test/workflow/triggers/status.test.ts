import { afterEach, expect, it } from 'vitest';
import { Upped } from './world.ts';
import type { StatusDocument } from '../../../src/documents/status.ts';
import { finished } from '../../support/project.ts';

const gated = `name: w
version: "1"
timeout: 1m
triggers:
  yearly: { cron: "0 0 1 1 *", timezone: UTC }
  mail: { message: { role: maker, type: task } }
steps:
  ship: { gate: { message: Ship it?, approvers: [ada] } }
`;
let world: Upped;

afterEach(() => world.remove());

async function status(): Promise<StatusDocument> {
  const { stdout } = await world.project.run(['status', '--json']);
  return JSON.parse(stdout) as StatusDocument;
}

it('shows runs that wait, with the command that opens their gate, and what triggers do', async () => {
  world = new Upped(gated);
  expect(await status()).toMatchObject({
    runs: [],
    triggers: [
      { workflow: 'workflows/w.yaml', name: 'yearly', active: false, why: 'no controller runs', next: null },
      { name: 'mail', kind: 'message', active: false, last: null },
    ],
  });
  await world.up('quiet');
  world.project.drop('agents/maker/inbox/hello.md', 'Do it\n');
  await world.until(() => world.runs().some((run) => world.events(run).some(({ type }) => type === 'asked')));
  const [run = ''] = world.runs();
  const approve = `mailroom approve ${run.slice(-6)} ship --as ada`;
  const { runs, triggers } = await status();
  expect(runs).toMatchObject([
    {
      run,
      workflow: 'w',
      state: 'waiting',
      started_by: 'up',
      steps: [],
      gates: [{ gate: 'ship', message: 'Ship it?', approvers: ['ada'], deadline: null, approve }],
      resume: null,
    },
  ]);
  const next = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 0, 1)).toISOString();
  expect(triggers).toMatchObject([
    { name: 'yearly', active: true, why: null, next, last: null, waiting: false },
    { name: 'mail', active: true, next: null, last: { run } },
  ]);
  await world.end('SIGKILL');
  const { stdout } = await world.project.run(['status']);
  expect(stdout).toMatch(
    new RegExp(`…${run.slice(-6)} +w +stopped .*continue with \`mailroom up\`; ship asks: Ship it\\?`),
  );
  expect(stdout).toMatch(/^yearly \(cron\) +workflows\/w\.yaml +not active: no controller runs$/m);
  world.project.write('workflows/w.yaml', `${gated}  broken: { comand: [x] }\n`);
  expect((await status()).problems).toEqual([
    'workflows/w.yaml has problems, so nothing triggers it; `mailroom validate` shows them',
  ]);
});

it('says of triggers that `up` does not serve, or of a changed workflow, what to do', async () => {
  world = new Upped(gated);
  await world.up('quiet');
  const later = 'name: later\nversion: "1"\ntimeout: 1m\nsteps: { say: { command: [echo, hi] } }\n';
  const triggers = 'triggers: { tick: { every: 1h }, seen: { files: [src/*] } }\n';
  world.project.write('workflows/later.yaml', `${later}${triggers}`);
  world.project.write('workflows/w.yaml', gated.replace('Ship it?', 'Ship it now?'));
  const unread = 'the running `mailroom up` has not read it; restart `mailroom up`';
  const unreadBy =
    'the running `mailroom up` has not read it: workflows/later.yaml; look at the change; restart `mailroom up`';
  const changed =
    'it has changed since `up` started, so it is not started: workflows/w.yaml; look at the change, then run `mailroom reload workflows/w.yaml`';
  const whys = async () => (await status()).triggers.map(({ name, active, why }) => [name, active, why]);
  const notRead = (why: string) => [
    ['tick', false, why],
    ['seen', false, why],
  ];
  // `up` serves them from its next look on.
  await expect
    .poll(whys)
    .toEqual([['yearly', false, changed], ['mail', false, changed], ...notRead(unreadBy)]);
  expect(await world.project.run(['reload'])).toMatchObject({ code: 0 });
  expect(await whys()).toEqual([['yearly', true, null], ['mail', true, null], ...notRead(unread)]);
  await world.end();
  await world.up('quiet');
  await expect.poll(async () => (await whys()).filter(([, active]) => active === false)).toEqual([]);
});

it('says of a run that died how it continues, and nothing of one that is over', async () => {
  world = new Upped(
    `name: w\nversion: "1"\ntimeout: 1m\nsteps:\n  hang: { command: [sh, -c, "sleep 1000"] }\n`,
  );
  const done = `name: d\nversion: "1"\ntimeout: 1m\nsteps:\n  say: { command: [echo, done] }\n`;
  world.project.write('workflows/d.yaml', done);
  expect(await world.project.run(['run', 'd'])).toMatchObject({ code: 0 });
  const before = new Set(world.runs());
  const run = world.project.start(['run', 'w', '--plain']);
  await world.until(() => world.runs().some((each) => !before.has(each) && world.events(each).length > 0));
  const over = finished(run);
  run.kill('SIGKILL');
  await over;
  const [died = ''] = world.runs().filter((each) => !before.has(each));
  const found = await status();
  expect(found.runs).toMatchObject([
    { run: died, state: 'stopped', started_by: 'person', resume: `mailroom resume ${died.slice(-6)}` },
  ]);
});

it('reports a file that is no text, and continues with the others', async () => {
  world = new Upped(gated, { 'workflows/binary.yaml': 'name: b\0\ntriggers: {}\n' });
  const { triggers, problems } = await status();
  expect(triggers.map(({ workflow }) => workflow)).toEqual(['workflows/w.yaml', 'workflows/w.yaml']);
  expect(problems).toEqual([
    'workflows/binary.yaml has problems, so nothing triggers it; `mailroom validate` shows them',
  ]);
  const { code, stdout } = await world.project.run(['validate', '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    workflows: [
      { file: 'workflows/binary.yaml', ok: false },
      { file: 'workflows/w.yaml', ok: true },
    ],
    errors: [{ code: 'E_FILE', message: expect.stringContaining('it is binary') }],
  });
  expect((await world.project.run(['plan', 'w'])).code).toBe(0);
});
