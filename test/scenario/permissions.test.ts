import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ImpostorProject } from '../support/impostor.ts';

let project: ImpostorProject;
afterEach(() => project.remove());

const team = (capabilities: string, workspace: string) => `
name: one
version: "1"
workspace: ${workspace}
roles:
  maker: { provider: claude, capabilities: [${capabilities}] }
messages:
  task: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

/** Changes a file that is there, makes one, and says that it is done. */
const disobedient = `
  fs.appendFileSync('kept.txt', 'changed\\n');
  fs.mkdirSync('src', { recursive: true });
  fs.writeFileSync('src/made.txt', 'made\\n');
  fs.writeFileSync('noise.log', 'ignored by git\\n');
  send('done', 'user', 'Done it');`;

function begin(capabilities: string, workspace: string, more: Readonly<Record<string, string>> = {}): void {
  // Without a sandbox, in which none of this could happen.
  project = new ImpostorProject(
    { maker: disobedient },
    {
      'mailroom.yaml': 'sandbox: off\ntrail: off\n',
      'protocols/one.yaml': team(capabilities, workspace),
      'kept.txt': 'kept\n',
      '.gitignore': '.mailroom/\nagents/\n*.log\n.drop/\n',
      ...more,
    },
  );
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd: project.root,
      stdio: 'pipe',
    });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
}

async function turn(): Promise<string> {
  return (await project.run(['show', 't1'])).stdout;
}

describe('a role without EDIT that changes files', () => {
  it('is reported in a folder that people share', async () => {
    begin('READ', '.');
    expect(await project.works('maker')).toMatchObject({ code: 0 });
    expect(await turn()).toContain(
      'while it ran, files were changed without permission: `kept.txt`, `src/made.txt`\n',
    );
    expect(project.read('kept.txt')).toBe('kept\nchanged\n');
  });

  it('fails in the worktree of its thread, where no one else works', async () => {
    begin('READ', 'worktree');
    const ran = await project.works('maker');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('E_PERMISSIONS: it changed without permission: `kept.txt`, `src/made.txt`');
    const [worktree = ''] = project.list('.mailroom/worktrees');
    expect(project.read(`.mailroom/worktrees/${worktree}/kept.txt`)).toBe('kept\nchanged\n');
    expect(existsSync(join(project.root, 'src'))).toBe(false);
  });
});

describe('a role with RUN_TESTS in the worktree of its thread', () => {
  const tests = `import * as fs from 'node:fs';
    export function play({ send }) { fs.mkdirSync('coverage', { recursive: true }); fs.writeFileSync('coverage/report.txt', 'x'); CHANGE; send('done', 'user'); }\n`;

  it('may leave files that git does not track, which are reported', async () => {
    begin('READ, RUN_TESTS', 'worktree', { 'play/maker.mjs': tests.replace('CHANGE', '') });
    expect(await project.works('maker')).toMatchObject({ code: 0 });
    expect(await turn()).toContain('it left files that git does not track: `coverage/report.txt`\n');
  });

  it('fails where it changes one that git tracks', async () => {
    const change = "fs.appendFileSync('kept.txt', 'x')";
    begin('READ, RUN_TESTS', 'worktree', { 'play/maker.mjs': tests.replace('CHANGE', change) });
    const ran = await project.works('maker');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('E_PERMISSIONS: it changed without permission: `kept.txt`;');
  });
});

/** Makes what git refuses to look into, so that nobody can compare. */
const blinding = `
  fs.appendFileSync('kept.txt', 'changed\\n');
  fs.mkdirSync('sub/.git/objects', { recursive: true });
  fs.mkdirSync('sub/.git/refs');
  fs.writeFileSync('sub/.git/HEAD', 'ref: refs/heads/main\\n');
  fs.writeFileSync('sub/.git/config', '[core]\\nrepositoryformatversion = 1\\n[extensions]\\nbogus = 1\\n');
  fs.writeFileSync('sub/made.txt', 'made\\n');`;

const unknown = 'its changes cannot be compared, so unpermitted changes cannot be detected: ';

describe('a role without EDIT that blinds git', () => {
  const play = `import * as fs from 'node:fs';\nexport function play({ send }) {${blinding}\nsend('done', 'user'); }\n`;

  it('is reported in a folder that people share', async () => {
    begin('READ', '.', { 'play/maker.mjs': play });
    expect(await project.works('maker')).toMatchObject({ code: 0 });
    expect(await turn()).toContain(unknown);
  });

  it('fails in the worktree of its thread', async () => {
    begin('READ', 'worktree', { 'play/maker.mjs': play });
    const ran = await project.works('maker');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(`E_PERMISSIONS: ${unknown}`);
  });

  it('is reported with the run whose step it does', async () => {
    begin('READ', '.', { 'workflows/look.yaml': workflow.replace(/ +outputs: .*\n/, '') });
    project.write('play/look.mjs', play.replace(/send\('done.*?;/, ''));
    project.write('play/mend.mjs', 'export function play() {}\n');
    expect(await project.run(['run', 'look'])).toMatchObject({ code: 0 });
    const [id = ''] = project.list('.mailroom/runs');
    expect((await project.run(['show', id])).stdout).toContain(`warning    look: ${unknown}`);
  });
});

it.each(['.', 'worktree'])('a role with EDIT has nothing said of it (workspace %s)', async (workspace) => {
  begin('READ, EDIT', workspace);
  expect(await project.works('maker')).toMatchObject({ code: 0 });
  expect(await turn()).not.toContain('without the right');
});

it('a role that writes into the project from its worktree is reported', async () => {
  begin('READ, EDIT', 'worktree');
  project.write(
    'play/maker.mjs',
    `import * as fs from 'node:fs';\nexport function play({ project, send }) { fs.writeFileSync(project + '/kept.txt', ''); send('done', 'user'); }\n`,
  );
  expect(await project.works('maker')).toMatchObject({ code: 0 });
  expect(await turn()).toContain('while it ran, files were changed without permission: `kept.txt`\n');
});

const workflow = `
name: look
version: "1"
timeout: 1m
steps:
  look:
    worker: CLAUDE_CODE
    capabilities: [READ]
    instructions: Look.
    outputs: [{ name: made, path: src/made.txt }]
  mend:
    depends_on: [look]
    worker: CLAUDE_CODE
    capabilities: [READ, EDIT]
    instructions: Mend.
`;

it('a step that changes more than it owes is reported with the run; what each has changed is in its `_meta.json`', async () => {
  begin('READ', '.', { 'workflows/look.yaml': workflow });
  project.write(
    'play/look.mjs',
    `import * as fs from 'node:fs';\nexport function play({ send }) {\n${disobedient.replace(/send\(.*/, '')} }\n`,
  );
  project.write(
    'play/mend.mjs',
    `import * as fs from 'node:fs';\nexport function play() { fs.rmSync('kept.txt'); }\n`,
  );
  expect(await project.run(['run', 'look'])).toMatchObject({ code: 0 });
  const observed = (step: string) =>
    (JSON.parse(project.read(`context/${step}/_meta.json`)) as { workerResult: object }).workerResult;
  expect(observed('look')).toMatchObject({
    observations: [{ filesChanged: ['kept.txt', 'src/made.txt'] }],
  });
  expect(observed('mend')).toMatchObject({ observations: [{ filesChanged: ['kept.txt'] }] });
  const [id = ''] = project.list('.mailroom/runs');
  const words = 'look: while it ran, files were changed without permission: `kept.txt`';
  expect((await project.run(['show', id])).stdout).toContain(`warning    ${words}\n`);
  const document = JSON.parse((await project.run(['show', id, '--json'])).stdout) as object;
  expect(document).toMatchObject({ warnings: [words] });
});
