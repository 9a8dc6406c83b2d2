import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../src/git/git.ts';
import { run } from '../../src/process/run.ts';
import { fixture, freshMark, marked, temporaryFolder, until } from './support.ts';

const env = { PATH: process.env['PATH']! };

describe('a short tool', () => {
  it('gets input, folder and environment and gives its output', async () => {
    const cwd = temporaryFolder();
    const script = 'cat; pwd; echo "$X" >&2; exit 4';
    expect(await run(['sh', '-c', script], { cwd, env: { ...env, X: 'y' }, stdin: 'in\n' })).toEqual({
      exitCode: 4,
      signal: null,
      ended: 'exited',
      error: null,
      stdout: `in\n${cwd}\n`,
      stderr: 'y\n',
    });
  });

  it('ends with all its children when its time is over', async () => {
    const mark = freshMark();
    const options = { cwd: '/', env: { ...env, MAILROOM_MARK: mark }, timeoutMs: 100 };
    const result = await run(['sh', '-c', 'trap "" TERM; sleep 1000 & echo on; wait'], options);
    expect(result).toMatchObject({ ended: 'timeout', exitCode: null, signal: 'SIGKILL', stdout: 'on\n' });
    await until('nobody is left', () => marked(mark).length === 0);
  });

  it('ends when it says too much', async () => {
    const result = await run(['yes'], { cwd: '/', env, maxOutputBytes: 1000 });
    expect(result).toMatchObject({ ended: 'output-limit', stdout: 'y\n'.repeat(500) });
  });

  it('ends when it waits for a pipe in the place of a file', async () => {
    const cwd = temporaryFolder();
    expect(await run(['mkfifo', 'pipe'], { cwd, env })).toMatchObject({ exitCode: 0 });
    for (const argv of [
      ['cat', 'pipe'],
      ['sh', '-c', 'echo > pipe'],
    ])
      expect(await run(argv, { cwd, env })).toEqual({
        exitCode: null,
        signal: 'SIGKILL',
        ended: 'named-pipe',
        error:
          'it waits for a named pipe that lies in the place of a file; `find . -type p` lists such pipes',
        stdout: '',
        stderr: '',
      });
  });

  it('does not wait for an orphan that holds its pipes', async () => {
    const mark = freshMark();
    const result = await run(['sh', fixture('orphan-holds-pipe.sh')], {
      cwd: '/',
      env: { ...env, MAILROOM_MARK: mark },
    });
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, stdout: 'left\n' });
  });

  it('that cannot be started is a result', async () => {
    const failed = { ended: 'spawn-failed', stdout: '', stderr: '' };
    expect(await run(['no-such'], { cwd: '/', env })).toMatchObject({
      ...failed,
      exitCode: 127,
      error: 'command not found: no-such',
    });
    expect(await run(['true'], { cwd: '/nowhere', env })).toMatchObject({ ...failed, exitCode: null });
    expect(await run(['true', 'x'.repeat(1e6)], { cwd: '/', env })).toMatchObject(failed);
  });
});

describe('git', () => {
  it('fetches nothing for a repository that lacks objects, unless it is to', async () => {
    const cwd = temporaryFolder();
    await git(['init', '-q'], { cwd });
    for (const [name, value] of [
      ['core.repositoryformatversion', '1'],
      ['extensions.partialclone', 'far'],
      ['remote.far.promisor', 'true'],
      ['remote.far.url', cwd],
      ['remote.far.uploadpack', `touch ${cwd}/asked; false`],
    ] as const)
      await git(['config', name, value], { cwd });
    for (const fetches of [false, true]) {
      await git(['cat-file', '-e', '1'.repeat(40)], { cwd, fetches });
      expect(existsSync(join(cwd, 'asked'))).toBe(fetches);
    }
  });

  it('shows no object in the place of another', async () => {
    const cwd = temporaryFolder();
    const identity = { name: 'Mailroom', email: 'mailroom@localhost' };
    const ask = async (...args: string[]) => (await git(args, { cwd, identity })).stdout.trim();
    await ask('init', '-q');
    for (const text of ['first', 'second']) await ask('commit', '-q', '--allow-empty', '-m', text);
    await ask('replace', 'HEAD', 'HEAD~1');
    expect(await ask('log', '-1', '--format=%s')).toBe('second');
  });

  it('commits as whom it is told, whatever the host and the repository say, and runs no hook', async () => {
    const cwd = temporaryFolder();
    const identity = { name: 'Mailroom', email: 'mailroom@localhost', at: 1_700_000_000_000 };
    await git(['init', '-q', '-b', 'main'], { cwd });
    mkdirSync(join(cwd, '.git/hooks'), { recursive: true });
    for (const hook of ['pre-commit', 'reference-transaction']) {
      writeFileSync(join(cwd, '.git/hooks', hook), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    }
    process.env['GIT_DIR'] = '/nowhere';
    try {
      const commit = await git(['commit', '-q', '--allow-empty', '-m', 'Ä first'], { cwd, identity });
      expect(commit).toMatchObject({ exitCode: 0, stderr: '' });
    } finally {
      delete process.env['GIT_DIR'];
    }
    const log = await git(['log', '--format=%an %ae %cn %at %s'], { cwd });
    expect(log.stdout).toBe('Mailroom mailroom@localhost Mailroom 1700000000 Ä first\n');
  });

  it('reads its input', async () => {
    const result = await git(['hash-object', '--stdin'], { cwd: temporaryFolder(), stdin: 'hello\n' });
    expect(result.stdout).toBe('ce013625030ba8dba906f756967f9e9ca394464a\n');
  });
});
