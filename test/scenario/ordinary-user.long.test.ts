import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { finished, TestProject, type Ran } from '../support/project.ts';

/** A user namespace in which root is somebody without any of its powers. */
const ordinary = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'];
const user = process.getuid?.() === 0 ? ordinary : [];

/** A project of a user who is not root, and where it has no sandbox. */
class OrdinaryProject extends TestProject {
  as(args: readonly string[]): Promise<Ran> {
    return finished(this.start(args, { HOME: this.root }, user));
  }
}

function projectOf(files: Readonly<Record<string, string>>): OrdinaryProject {
  const project = new OrdinaryProject({ '.gitignore': 'recording/\n.mailroom/\nagents/\n', ...files });
  onTestFinished(() => project.remove());
  return project;
}

const up = ['up', '--until-idle', '--plain'];
const team = (role: string) => `
name: one
version: "1"
roles: { maker: { ${role}, capabilities: [READ, EDIT], retries: 0 } }
messages:
  task: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

const files = {
  'mailroom.yaml': 'trail: off\nsandbox: off\nproviders: { mine: { command: [node, agent.mjs] } }\n',
  'protocols/one.yaml': team('provider: mine'),
  'agent.mjs': `import { writeFileSync } from 'node:fs';
writeFileSync('made.txt', 'honest');
writeFileSync(process.env.MAILROOM_OUTBOX + '/done.md', '---\\ntype: done\\nto: user\\n---\\nMade.\\n');
`,
};

interface Recording {
  files: { name: string; text: string }[];
  edits: object[];
}

it('a recording of a stranger writes nothing outside, and nothing that is obeyed, without a sandbox', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'mailroom-outside-'));
  chmodSync(outside, 0o777);
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const live = projectOf(files);
  live.makeRepository();
  live.drop('agents/maker/inbox/task.md', 'Make it.\n');
  expect(await live.as([...up, '--record', 'recording'])).toMatchObject({ code: 0, stderr: '' });
  const [name = ''] = live.list('recording').filter((each) => each.endsWith('.json'));
  const honest = live.read(`recording/${name}`);
  const link = { path: 'lnk', kind: 'link', before: null, after: 'x', text: outside };
  const edit = (path: string) => ({ path, kind: 'program', before: null, after: 'x', text: '#!/bin/sh\n' });
  const file = (path: string) => ({ name: `{{workspace}}/${path}`, text: 'evil' });
  const forgeries: readonly Partial<Recording>[] = [
    { edits: [link], files: [file('lnk/pwn')] },
    { edits: [link, edit('lnk/pwn')] },
    { edits: [{ ...link, text: join(outside, 'pwn') }], files: [file('lnk')] },
    { edits: [edit('.git/hooks/post-commit')] },
    { edits: [edit('workflows/w.yaml')] },
    { files: [file('mailroom.yaml')] },
    { files: [file('agents/maker/role.md')] },
  ];
  for (const forgery of forgeries) {
    const dead = projectOf(files);
    dead.makeRepository();
    const before = [dead.list('.'), dead.list('.git/hooks'), dead.read('mailroom.yaml')];
    const recording = JSON.parse(honest) as Recording;
    const forged = {
      ...recording,
      edits: [...recording.edits, ...(forgery.edits ?? [])],
      files: [...recording.files, ...(forgery.files ?? [])],
    };
    dead.write(`recording/${name}`, JSON.stringify(forged));
    dead.drop('agents/maker/inbox/task.md', 'Make it.\n');
    const { stdout } = await dead.as([...up, '--replay', 'recording']);
    expect(stdout).toMatch(/so none of the recorded changes were made/);
    const added = ['.drop', '.mailroom', 'agents', 'recording'];
    expect([
      dead.list('.').filter((each) => !added.includes(each)),
      dead.list('.git/hooks'),
      dead.read('mailroom.yaml'),
    ]).toEqual(before);
    expect(existsSync(join(dead.root, 'agents/maker/role.md'))).toBe(false);
    expect(readdirSync(outside)).toEqual([]);
  }
});

const fake = fileURLToPath(new URL('../fixtures/agents/acp.mjs', import.meta.url));

/** An agent that asks for one call in its first process, and for another one in its second. */
function agentOf(root: string, calls: readonly object[]): string {
  const plays = calls.map((call) => ({
    capabilities: { sessionCapabilities: { resume: {} } },
    prompts: [[{ asks: call }, { say: '---\ntype: done\nto: user\n---\nDone.' }]],
  }));
  return `#!/usr/bin/env node
import { existsSync, writeFileSync } from 'node:fs';
const first = !existsSync(${JSON.stringify(join(root, 'begun'))});
writeFileSync(${JSON.stringify(join(root, 'begun'))}, '');
process.env.MAILROOM_PLAY = JSON.stringify(${JSON.stringify(plays)}[first ? 0 : 1]);
await import(${JSON.stringify(fake)});
`;
}

it('what a person allows is the call that was shown, without a sandbox', async () => {
  const project = projectOf({
    'mailroom.yaml': 'trail: off\nsandbox: off\nproviders: { fake: { kind: acp, command: [./agent.mjs] } }\n',
    'protocols/one.yaml': team('provider: fake, ask: user'),
  });
  const call = (argument: string) => ({
    kind: 'execute',
    title: './deploy.sh',
    rawInput: { command: './deploy.sh', args: [argument], cwd: '/srv' },
    writes: join(project.root, `deployed${argument}`),
  });
  writeFileSync(join(project.root, 'agent.mjs'), agentOf(project.root, [call('--dry-run'), call('--prod')]));
  chmodSync(join(project.root, 'agent.mjs'), 0o755);
  project.drop('agents/maker/inbox/task.md', 'Deploy it.\n');
  for (const [argument, verdict] of [
    ['--dry-run', 'approve'],
    ['--prod', 'reject'],
  ] as const) {
    expect(await project.as(up)).toMatchObject({ code: 0 });
    const { stdout: inbox } = await project.as(['inbox']);
    const [, look = ''] =
      /maker waits for approval by user: \.\/deploy\.sh \(in part\)[^]*?mailroom (show \w+)\n +mailroom approve t1\n/.exec(
        inbox,
      ) ?? [];
    const { stdout: shown } = await project.as(look.split(' '));
    expect(shown).toContain(argument);
    expect(shown).toContain('"cwd": "/srv"');
    expect(await project.as([verdict, 't1'])).toMatchObject({ code: 0 });
  }
  expect(await project.as(up)).toMatchObject({ code: 0 });
  expect(existsSync(join(project.root, 'deployed--prod'))).toBe(false);
});

it('doctor says of a project that it belongs to somebody else, where it cannot write or git refuses it', async () => {
  const project = projectOf(files);
  project.makeRepository();
  const git = '#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 PATH=${PATH#*:} exec git "$@"\n';
  project.write('bin/git', git);
  chmodSync(join(project.root, 'bin/git'), 0o755);
  project.write('agents/maker/inbox/task.md', 'Make it.\n');
  chmodSync(project.root, 0o555);
  onTestFinished(() => chmodSync(project.root, 0o755));
  const env = { HOME: '/', PATH: `${project.root}/bin:${process.env['PATH'] ?? ''}` };
  const { code, stdout } = await finished(project.start(['doctor'], env, user));
  expect(stdout).toMatch(`✗ project      cannot write in ${project.root}: permission denied: look who owns`);
  expect(stdout).toMatch("! trail        git does not trust this folder's owner; `git config ");
  expect(code).toBe(1);
  const ran = await finished(project.start(up, env, user));
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^error E_DISK: cannot make the folder \.mailroom: permission denied\nhint: /);
});

it('root in the project of another user is warned, and doctor finds what it left', async (ctx) => {
  if (process.getuid?.() !== 0) ctx.skip('only root is another user than the owner');
  const project = projectOf(files);
  chownSync(project.root, 1234, 1234);
  const ran = await finished(project.start(up, {}));
  expect(ran.stderr).toContain(`warning: this is root, and user 1234 owns ${project.root}`);
  const { stdout } = await finished(project.start(['doctor'], {}));
  expect(stdout).toMatch(/^! owner +\d+ files? of other users than the owner of .*: its turns may be held/m);
});
