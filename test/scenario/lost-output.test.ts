import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, program, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

/** Runs the program in a shell that changes where it writes to, or where it stands. */
function inShell(script: string, argv: readonly string[], cwd = project.root) {
  const env = { ...process.env, NO_COLOR: '1' };
  const words = ['-c', script, 'sh', process.execPath, program, ...argv];
  return finished(spawn('sh', words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

const lost = 'mailroom: cannot write to standard output: no space left on device\n';

it('a command that cannot write its output says so in one line', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user');` });
  for (const argv of [['status'], ['check'], ['--help'], ['trail', '--json']])
    expect(await inShell('exec "$@" > /dev/full', argv)).toMatchObject({ code: 1, stderr: lost });
  const { code, stdout } = await inShell('exec "$@" 2> /dev/full', ['status']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('maker')]);
  expect(await inShell('exec "$@" > /dev/full 2> /dev/full', ['status'])).toMatchObject({ code: 1 });
});

it('an editor that cannot be answered ends its server, and shows no stack', async () => {
  project = playProject(smallTeam, {});
  const full = openSync('/dev/full', 'w');
  const lsp = spawn(process.execPath, [program, 'lsp'], { cwd: project.root, stdio: ['pipe', full, 'pipe'] });
  closeSync(full);
  const request = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { capabilities: {} },
  });
  // Its input stays open.
  lsp.stdin?.write(`Content-Length: ${String(request.length)}\r\n\r\n${request}`);
  const [code, stderr] = await Promise.all([once(lsp, 'close'), text(lsp.stderr!)]);
  expect([code[0], stderr]).toEqual([1, lost]);
});

it('a controller that cannot write its output works on', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user');` });
  project.drop('agents/maker/inbox/one.md', 'Do it\n');
  expect(await inShell('exec "$@" > /dev/full', ['up', '--until-idle'])).toMatchObject({
    code: 1,
    stderr: lost,
  });
  const sent = JSON.parse((await project.run(['trail', '--json'])).stdout) as { type: string }[];
  expect(sent.map(({ type }) => type)).toEqual(['task', 'done']);
});

it('a folder that was deleted is named', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user');` });
  project.drop('gone/file', '');
  const gone = join(project.root, 'gone');
  rmSync(join(gone, 'file'));
  const script = 'rmdir "$PWD" && exec "$@"';
  expect(await inShell(script, ['status'], gone)).toMatchObject({
    code: 2,
    stderr: 'error E_USAGE: the current folder does not exist any more\nhint: change to another one: cd\n',
  });
});

it('too few open files are the reason that is named', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user');` });
  const { code, stderr } = await inShell('ulimit -n 24; exec "$@"', ['up', '--until-idle']);
  expect(code).toBe(1);
  expect(stderr).toContain('too many files are open');
  expect(stderr).toContain('ulimit -n');
});
