import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { until } from '../process/support.ts';
import { ImpostorProject } from '../support/impostor.ts';
import { finished } from '../support/project.ts';

const { bubblewrap } = await probeContainment();

let project: ImpostorProject;
afterEach(() => project.remove());

const team = (capabilities: string) => `
name: one
version: "1"
roles:
  maker: { provider: claude, capabilities: [${capabilities}], retries: 0 }
  other: { provider: claude }
messages:
  task: { from: user, to: [maker, other] }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

/** An agent that tries everything, and says what came of it. */
const greedy = `
  const places = {
    workspace: project + '/made.txt',
    staging: outbox + '/note.txt',
    settings: process.env.HOME + '/.claude/session',
    home: process.env.HOME + '/secret.txt',
    mail: project + '/agents/other/inbox/forged.txt',
    journal: project + '/.mailroom/journal/forged',
    rights: project + '/mailroom.yaml',
    protocol: project + '/protocols/team.yaml',
    git: project + '/.git/HEAD',
    hook: project + '/.git/hooks/post-commit',
    system: '/usr/forged',
  };
  const came = Object.fromEntries(Object.entries(places).map(([name, path]) => [name, tries(path)]));
  fs.rmSync(outbox + '/note.txt', { force: true });
  fs.rmSync(project + '/agents/other/inbox/forged.txt', { force: true });
  came.role = attempt(() => fs.readFileSync(project + '/protocols/team.yaml'));
  send('done', 'user', JSON.stringify(came));`;

const refused = 'EROFS';
/** What nobody may change from inside, whatever its rights. */
const always = {
  staging: 'done',
  settings: 'done',
  mail: refused,
  journal: refused,
  rights: refused,
  protocol: refused,
  git: refused,
  hook: refused,
  system: refused,
  role: 'done',
};

/** What came of each attempt, and whether a file of the person was changed. */
async function attempts(capabilities: string, sandbox: string) {
  const files = {
    'protocols/team.yaml': team(capabilities),
    'mailroom.yaml': `sandbox: ${sandbox}\ntrail: off\n`,
  };
  project = new ImpostorProject({ maker: greedy }, files);
  execFileSync('git', ['init', '-q'], { cwd: project.root });
  writeFileSync(join(project.home, 'secret.txt'), '');
  const ran = await project.works('maker');
  expect(ran).toMatchObject({ code: 0 });
  const rows = JSON.parse((await project.run(['trail', '--json'])).stdout) as {
    type: string;
    body: string;
  }[];
  return JSON.parse(rows.find(({ type }) => type === 'done')?.body ?? '{}') as Record<string, string>;
}

/** Without a sandbox nothing but the CLI itself holds an agent: then this is what is seen. */
const unheld = { workspace: 'done', git: 'done', hook: 'done', mail: 'done', rights: 'done' };

const where = bubblewrap.works ? 'in the sandbox' : `with no sandbox here: ${bubblewrap.why}`;

describe(`${where},`, () => {
  it.each([
    ['READ', { workspace: refused }],
    ['READ, RUN_TESTS', { workspace: 'done' }],
    ['READ, EDIT', { workspace: 'done' }],
    ['READ, EDIT, RUN_COMMANDS', { workspace: 'done' }],
  ])('an agent with %s reaches no more than that', async (rights, own) => {
    const came = await attempts(rights, 'auto');
    expect(came).toMatchObject(bubblewrap.works ? { ...always, ...own } : unheld);
    expect(existsSync(join(project.home, '.claude/session'))).toBe(bubblewrap.works);
    expect(readFileSync(join(project.home, 'secret.txt'), 'utf8') === '').toBe(bubblewrap.works);
  });
});

it('with the sandbox off nothing holds it but the CLI itself', async () => {
  expect(await attempts('READ', 'off')).toMatchObject(unheld);
});

/** Starts something that wants to outlive it, says so, and never ends. */
const clinging = `
  const { spawn } = await import('node:child_process');
  spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref();
  fs.writeFileSync(outbox + '/.clings', '');
  await new Promise(() => setInterval(() => {}, 1_000));`;

describe.each(['auto', 'off'])('a controller that is killed (sandbox: %s)', (sandbox) => {
  it('leaves no agent behind, and nothing that one has started', async () => {
    const settings = {
      'protocols/team.yaml': team('READ'),
      'mailroom.yaml': `sandbox: ${sandbox}\ntrail: off\n`,
    };
    project = new ImpostorProject({ maker: clinging }, settings);
    project.drop('agents/maker/inbox/task.md', 'Do it\n');
    const up = project.start(['up', '--plain']);
    const end = finished(up);
    const sign = join(project.root, '.mailroom/turns/t1/1/outbox/.clings');
    await until('the agent clings', () => existsSync(sign));
    expect(project.survivors()).not.toEqual([]);
    up.kill('SIGKILL');
    await end;
    await until('all are gone', () => project.survivors().length === 0);
    expect(project.survivors()).toEqual([]);
  });
});

/** A gate that tries what an agent may have put into it. */
const gate = `
import { appendFileSync, writeFileSync } from 'node:fs';
const attempt = (path) => { try { appendFileSync(path, 'tried'); return 'done'; } catch (error) { return error.code; } };
const places = ['made.txt', 'agents/other/inbox/forged.txt', 'mailroom.yaml', '.git/HEAD', process.env.HOME + '/secret.txt'];
writeFileSync('gate.json', JSON.stringify(places.map(attempt)));`;

it.each(['auto', 'required'])('a gate is held as the agent is, with sandbox: %s', async (sandbox) => {
  const held = bubblewrap.works;
  if (!held && sandbox === 'required') return expect(bubblewrap).toHaveProperty('why');
  const gated = team('READ').replace('closes: true }', 'closes: true, gates: [{ run: [node, gate.mjs] }] }');
  const files = {
    'protocols/team.yaml': gated,
    'mailroom.yaml': `sandbox: ${sandbox}\ntrail: off\n`,
    'gate.mjs': gate,
  };
  project = new ImpostorProject({ maker: `send('done', 'user');` }, files);
  execFileSync('git', ['init', '-q'], { cwd: project.root });
  writeFileSync(join(project.home, 'secret.txt'), '');
  expect(await project.works('maker')).toMatchObject({ code: 0 });
  const came = JSON.parse(project.read('gate.json')) as string[];
  // It builds and tests, so the workspace is its to write, whatever the role may do; the home that it sees is not the person's.
  const [workspace, ...others] = came;
  expect(workspace).toBe('done');
  expect(others.slice(0, -1)).toEqual(held ? [refused, refused, refused] : ['done', 'done', 'done']);
  expect(readFileSync(join(project.home, 'secret.txt'), 'utf8')).toBe(held ? '' : 'tried');
});

it('a program is found through links that lead out of the project and on', async () => {
  const settings = `providers: { claude: { command: [node_modules/.bin/claude] } }\ntrail: off\n`;
  const files = { 'protocols/team.yaml': team('READ'), 'mailroom.yaml': `sandbox: auto\n${settings}` };
  project = new ImpostorProject({ maker: `send('done', 'user');` }, files);
  // The packages lie beside the project, and what leads there is itself a link: both are hidden in a sandbox.
  const beside = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-packages-')));
  onTestFinished(() => rmSync(beside, { recursive: true }));
  mkdirSync(join(beside, 'real/node_modules/.bin'), { recursive: true });
  renameSync(join(project.root, 'bin/claude'), join(beside, 'real/node_modules/cli.mjs'));
  symlinkSync('../cli.mjs', join(beside, 'real/node_modules/.bin/claude'));
  symlinkSync('real', join(beside, 'alias'));
  symlinkSync(join(beside, 'alias/node_modules'), join(project.root, 'node_modules'));
  expect(await project.works('maker')).toMatchObject({ code: 0, stderr: '' });
});

/** Makes programs of the names that Mailroom itself runs, where PATH looks first and nothing is yet. */
const impostors = `
  const folder = project + '/node_modules/.bin';
  fs.mkdirSync(folder, { recursive: true });
  for (const name of ['git', 'flock', 'cat', 'sh', 'bwrap', 'unshare', 'setpriv', 'node'])
    fs.writeFileSync(folder + '/' + name, '#!/bin/sh\\necho ran >> ' + project + '/ran-' + name + '\\n', { mode: 0o755 });
  send('done', 'user');`;

it('nothing that an agent puts into a missing folder of PATH is run', async () => {
  const files = {
    'protocols/team.yaml': team('READ, EDIT'),
    'mailroom.yaml': `sandbox: auto\nnotify: { user: [node, -e, ""] }\n`,
  };
  project = new ImpostorProject({ maker: impostors }, files);
  execFileSync('git', ['init', '-q'], { cwd: project.root });
  project.drop('agents/maker/inbox/task.md', 'Do it\n');
  const path = [
    join(project.root, 'node_modules/.bin'),
    join(project.root, 'bin'),
    process.env['PATH'] ?? '',
  ].join(':');
  expect(await project.run(['up', '--until-idle'], { PATH: path })).toMatchObject({ code: 0 });
  expect(await project.run(['status'], { PATH: path })).toMatchObject({ code: 0 });
  expect(existsSync(join(project.root, 'node_modules/.bin/git'))).toBe(true);
  expect(project.list('.').filter((name) => name.startsWith('ran-'))).toEqual([]);
});

/** A project without settings of its own, so that an agent could make them. */
const settler = `
  const names = ['mailroom.yaml', 'workflows', '.git'];
  const came = names.map((name) => [tries(project + '/' + name), attempt(() => fs.mkdirSync(project + '/' + name))]);
  send('done', 'user', JSON.stringify(came));`;

it('an agent makes none of the rules that are missing, and nothing is left in their places', async () => {
  project = new ImpostorProject({ maker: settler }, { 'protocols/team.yaml': team('READ, EDIT') });
  const before = project.list('.');
  expect(await project.works('maker')).toMatchObject({ code: 0 });
  const rows = JSON.parse((await project.run(['trail', '--json'])).stdout) as {
    type: string;
    body: string;
  }[];
  const came = JSON.parse(rows.find(({ type }) => type === 'done')?.body ?? '[]') as string[][];
  const after = project.list('.').filter((name) => !before.includes(name) && name !== '.drop');
  if (!bubblewrap.works)
    return expect(after).toEqual(['.git', '.mailroom', 'agents', 'mailroom.yaml', 'workflows']);
  expect(came).toEqual(Array.from({ length: 3 }, () => ['EISDIR', 'EEXIST']));
  expect(after).toEqual(['.mailroom', 'agents']);
});

it.each([['.mailroom'], ['agents'], ['protocols'], ['.git/hooks']])(
  'a workspace that leads into %s is refused before anything runs',
  async (target) => {
    const files = {
      'protocols/team.yaml': `workspace: app\n${team('READ, EDIT')}`,
      'mailroom.yaml': 'sandbox: auto\ntrail: off\n',
    };
    project = new ImpostorProject({ maker: `fs.writeFileSync('forged', '');\nsend('done', 'user');` }, files);
    execFileSync('git', ['init', '-q'], { cwd: project.root });
    mkdirSync(join(project.root, target), { recursive: true });
    symlinkSync(target, join(project.root, 'app'));
    const ran = await project.works('maker');
    expect(existsSync(join(project.root, target, 'forged'))).toBe(!bubblewrap.works);
    expect(ran.code).toBe(bubblewrap.works ? 1 : 0);
    if (bubblewrap.works) expect(ran.stdout).toMatch(/E_PATH.*app leads to .*no agent may write/);
  },
);
