import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProcess } from '../../src/process/proc.ts';
import {
  fixture,
  holdUp,
  openFiles,
  lives,
  marked,
  processesNaming,
  start,
  temporaryFolder,
  until,
} from './support.ts';

const MB = 1024 * 1024;

describe('a supervised process', () => {
  it('gets its input, its environment and its mark, and gives its output and exit code', async () => {
    const started = start(['sh', '-c', 'cat; pwd; echo "$MAILROOM_MARK $X $SECRET_OF_HOST" >&2; exit 3'], {
      stdin: 'the prompt\n',
      env: { PATH: process.env['PATH']!, X: 'y' },
    });
    const { spec } = started;
    expect(await started.exited).toMatchObject({
      exitCode: 3,
      signal: null,
      reason: 'exited',
      error: null,
      stdoutTail: `the prompt\n${spec.cwd}\n`,
      stderrTail: `${spec.mark} y \n`,
      survivors: [],
    });
    expect(started.stdout()).toBe(`the prompt\n${spec.cwd}\n`);
    expect(started.stderr()).toBe(`${spec.mark} y \n`);
    expect(started.seen).toEqual({ stdout: started.stdout(), stderr: started.stderr() });
  });

  it('says who it is while it runs', async () => {
    const started = start(['sh', fixture('hangs.sh')]);
    const launch = await started.ready;
    expect(launch).toEqual({
      pid: launch!.pid,
      startTime: readProcess(launch!.pid)!.startTime,
      mark: started.spec.mark,
    });
    started.stop();
    expect((await started.exited).reason).toBe('stopped');
  });

  it('may end without output, and without reading 5 MB of input', async () => {
    const silent = await start(['true']).exited;
    expect(silent).toMatchObject({ exitCode: 0, reason: 'exited', stdoutTail: '', stderrTail: '' });
    const deaf = await start(['sh', fixture('reads-nothing.sh')], { stdin: 'x'.repeat(5 * MB) }).exited;
    expect(deaf).toMatchObject({ exitCode: 0, stdoutTail: 'done\n' });
  });

  it('is ended when a command of which it tells takes longer than it may', async () => {
    const running = (output: string) => new Set(output.match(/begins \d/g));
    const started = start(['sh', '-c', 'echo begins 1; exec sleep 1000'], {
      commands: { limitMs: 20, running },
    });
    expect(await started.exited).toMatchObject({ reason: 'command-timeout', survivors: [] });
  });

  it('gets 5 MB of input whole', async () => {
    const result = await start(['wc', '-c'], { stdin: 'x'.repeat(5 * MB) }).exited;
    expect(result.stdoutTail.trim()).toBe(String(5 * MB));
  });

  it('may open its input and its outputs by name, as in a terminal', async () => {
    const script = 'cat /dev/stdin; echo out > /dev/stdout; echo err > /dev/stderr';
    expect(await start(['sh', '-c', script], { stdin: 'in\n' }).exited).toMatchObject({
      exitCode: 0,
      stdoutTail: 'in\nout\n',
      stderrTail: 'err\n',
    });
  });

  it('is no remote login: bash does not run ~/.bashrc', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, '.bashrc'), 'echo from bashrc');
    for (const stdin of ['', 'in']) {
      const env = { PATH: process.env['PATH']!, HOME: home };
      expect((await start(['bash', '-c', 'echo hello'], { stdin, env }).exited).stdoutTail).toBe('hello\n');
    }
  });

  it('leaves no file of its input behind', async () => {
    const started = start(['cat'], { stdin: 'a secret prompt' });
    expect((await started.exited).stdoutTail).toBe('a secret prompt');
    // What says nothing has no file.
    expect(readdirSync(started.spec.cwd)).toEqual(['stdout']);
  });

  it('takes arguments as they are', async () => {
    const result = await start(['printf', '%s|', '$HOME', '`id`', 'a b', '', '-n', "'"]).exited;
    expect(result.stdoutTail).toBe("$HOME|`id`|a b||-n|'|");
  });

  it('reports the signal that ended it', async () => {
    expect(await start(['sh', '-c', 'kill -SEGV $$']).exited).toMatchObject({
      exitCode: null,
      signal: 'SIGSEGV',
      reason: 'exited',
    });
  });
});

describe('a process that cannot be started', () => {
  const failure = { reason: 'spawn-failed', startedAt: null, stdoutTail: '', stderrTail: '' };

  it('is a result that says why', async () => {
    const file = join(temporaryFolder(), 'plain');
    writeFileSync(file, '');
    const started = start(['no-such-program']);
    expect(await started.exited).toMatchObject({
      ...failure,
      exitCode: 127,
      error: 'command not found: no-such-program',
    });
    expect(await started.ready).toBeNull();
    expect(await start([file]).exited).toMatchObject({
      ...failure,
      exitCode: 126,
      error: `command not executable: ${file}`,
    });
    expect(await start(['true'], { cwd: '/nowhere' }).exited).toMatchObject({
      ...failure,
      exitCode: null,
      error: 'working directory not found: /nowhere',
    });
    expect(await start([]).exited).toMatchObject({ ...failure, error: 'no command was given' });
  });

  it('is a result when the system refuses it', async () => {
    expect(await start(['true', 'x'.repeat(MB)]).exited).toMatchObject({
      ...failure,
      error: 'the command line and environment are too long for the system',
    });
    expect(await start(['true', 'a\0b']).exited).toMatchObject({
      ...failure,
      error: 'a command, its arguments and its environment must not contain NUL bytes',
    });
  });

  it('is a result when its output has no place', async () => {
    const result = await start(['true'], { stderrFile: '/nowhere/stderr' }).exited;
    expect(result).toMatchObject({ ...failure, error: expect.stringContaining('/nowhere/stderr') });
  });

  it('may be released and stopped all the same', async () => {
    const started = start(['no-such-program'], { launchBarrier: true });
    started.release();
    started.stop();
    expect((await started.exited).reason).toBe('spawn-failed');
  });
});

describe('output', () => {
  it('of 100 MB goes into the file whole', async () => {
    const started = start(['sh', fixture('floods.sh')], {
      secrets: ['a secret'],
      limits: { totalMs: null, idleMs: null, outputBytes: 200 * MB },
    });
    const result = await started.exited;
    expect(result).toMatchObject({ exitCode: 0, reason: 'exited' });
    expect(statSync(started.spec.stdoutFile).size).toBe(100 * MB);
    const line = 'a line of output\n';
    const start64 = (100 * MB - 64 * 1024) % line.length;
    expect(result.stdoutTail).toBe(line.repeat(4000).slice(start64, start64 + 64 * 1024));
  });

  it('of 140 MB of zero bytes does no harm', async () => {
    const before = process.memoryUsage().rss;
    let most = before;
    const started = start(['sh', fixture('floods-nuls.sh')], {
      secrets: ['a secret'],
      limits: { totalMs: null, idleMs: null, outputBytes: 200 * MB },
      watch: () => (most = Math.max(most, process.memoryUsage().rss)),
    });
    expect((await started.exited).exitCode).toBe(9);
    expect(statSync(started.spec.stdoutFile).size).toBe(140 * MB);
    expect(most - before).toBeLessThan(80 * MB);
  });

  it('beyond the limit is dropped, marked, and ends the process', async () => {
    // A program that is not ended goes on for a moment only, so that this fails then, and does not hang.
    const started = start(['sh', '-c', 'echo err >&2; yes | head -c 1000000; exec sleep 5'], {
      limits: { totalMs: null, idleMs: null, outputBytes: 1000 },
    });
    const result = await started.exited;
    expect(result.reason).toBe('output-limit');
    expect(started.stdout()).toBe(
      `${'y\n'.repeat(500)}\n[output limit of 1000 bytes reached: the rest was dropped]\n`,
    );
    expect(result.stdoutTail).toBe(started.stdout());
    expect(started.seen.stdout).toBe('y\n'.repeat(500));
    expect(started.stderr()).toBe('err\n');
  });

  it('of exactly the limit is no reason to end', async () => {
    const limits = { totalMs: null, idleMs: null, outputBytes: 6 };
    expect(await start(['echo', 'hello'], { limits }).exited).toMatchObject({
      reason: 'exited',
      stdoutTail: 'hello\n',
    });
  });

  it('is masked, also where a secret comes in two pieces', async () => {
    const started = start([process.execPath, fixture('splits-secret.mjs')], { secrets: ['hunter-two'] });
    const result = await started.exited;
    expect(result.stdoutTail).toBe('key=***;\n');
    expect(started.stdout()).toBe('key=***;\n');
    expect(started.seen.stdout).toBe('key=***;\n');
  });

  it('that ends with half a secret is given out', async () => {
    const started = start(['printf', 'key=hunter'], { secrets: ['hunter-two'] });
    await started.exited;
    expect(started.stdout()).toBe('key=hunter');
  });

  it('that cannot be written ends the process', async () => {
    const result = await start(['yes'], { stdoutFile: '/dev/full' }).exited;
    expect(result).toMatchObject({
      reason: 'output-failed',
      error: expect.stringContaining('ENOSPC'),
    });
  });

  it('is refused after the end, although an orphan holds the pipe', async () => {
    const started = start([
      'sh',
      '-c',
      'trap "" PIPE; setsid sh -c "while echo late; do :; done" & sleep 0.1',
    ]);
    const result = await started.exited;
    const size = statSync(started.spec.stdoutFile).size;
    expect(result.reason).toBe('exited');
    await until('nobody is left', () => marked(started.spec.mark).length === 0);
    expect(statSync(started.spec.stdoutFile).size).toBe(size);
  });
});

describe('pipes', () => {
  it('are used again, but never while somebody could still write into them', async () => {
    await start(['sh', fixture('writes-late.sh')]).exited;
    const fresh = Array.from({ length: 12 }, () => start(['sh', '-c', 'echo mine; sleep 0.2']));
    const results = await Promise.all(fresh.map(({ exited }) => exited));
    expect(new Set(results.map(({ stdoutTail }) => stdoutTail))).toEqual(new Set(['mine\n']));
    const before = openFiles();
    for (let round = 0; round < 20; round++) await start(['true']).exited;
    await until('the last pipes are back', () => openFiles() < before + 4);
  });
});

describe('limits of time', () => {
  it('end a process that is silent for too long', async () => {
    const limits = { totalMs: 20_000, idleMs: 100, outputBytes: 1000 };
    const started = start(['sh', fixture('hangs.sh')], { limits });
    expect(await started.exited).toMatchObject({ reason: 'idle-timeout', exitCode: null, signal: 'SIGTERM' });
  });

  it('let a process continue that talks', async () => {
    const limits = { totalMs: null, idleMs: 700, outputBytes: 1000 };
    expect((await start(['sh', fixture('talks.sh')], { limits }).exited).reason).toBe('exited');
  });

  it('take output that waits to be read for what it is, when the host itself was held up', async () => {
    const limits = { totalMs: null, idleMs: 700, outputBytes: 1000 };
    const started = start(['sh', fixture('talks.sh')], { limits });
    await until('it talks', () => started.seen.stdout !== '');
    await start(['echo', 'held up'], { watch: () => holdUp(900) }).exited;
    expect((await started.exited).reason).toBe('exited');
  });

  it('end a process that takes too long in all, though it talks', async () => {
    const limits = { totalMs: 150, idleMs: 2000, outputBytes: 1000 };
    const result = await start(['sh', fixture('talks.sh')], { limits }).exited;
    expect(result.reason).toBe('total-timeout');
    expect(result.durationMs).toBeGreaterThanOrEqual(150);
  });

  it('begin behind a launch barrier when it opens', async () => {
    const limits = { totalMs: 250, idleMs: null, outputBytes: 1000 };
    const started = start(['echo', 'hello'], { launchBarrier: true, limits });
    await started.ready;
    const opened = performance.now() + 300;
    await until('more than the limit is over', () => performance.now() > opened);
    started.release();
    expect(await started.exited).toMatchObject({ reason: 'exited', stdoutTail: 'hello\n' });
  });
});

describe('stopping', () => {
  it('asks first', async () => {
    const started = start(['sh', fixture('obeys-term.sh')], { graceMs: 10_000 });
    await until('it is ready', () => started.seen.stdout === 'ready\n');
    started.stop();
    started.stop();
    expect(await started.exited).toMatchObject({
      reason: 'stopped',
      exitCode: 7,
      stdoutTail: 'ready\nin order\n',
    });
  });

  it('kills what does not obey', async () => {
    const started = start(['sh', fixture('ignores-term.sh')]);
    await until('it is ready', () => started.seen.stdout === 'ready\n');
    started.stop();
    const result = await started.exited;
    expect(result).toMatchObject({ reason: 'stopped', signal: 'SIGKILL', survivors: [] });
    expect(result.durationMs).toBeGreaterThanOrEqual(300);
  });

  it('kills what does not obey in a session of its own without a second grace time', async () => {
    const script = `setsid sh "$0" & exec sh "$0"`;
    const started = start(['sh', '-c', script, fixture('ignores-term.sh')], { graceMs: 1500 });
    await until('both are ready', () => started.seen.stdout === 'ready\nready\n');
    const began = performance.now();
    started.stop();
    expect((await started.exited).survivors).toEqual([]);
    expect(performance.now() - began).toBeLessThan(2900);
    expect(marked(started.spec.mark)).toEqual([]);
  });

  it('after the end changes nothing', async () => {
    const started = start(['true']);
    await started.exited;
    started.stop();
    expect((await started.exited).reason).toBe('exited');
  });

  it('before the process has done anything ends it', async () => {
    const started = start(['sh', fixture('hangs.sh')]);
    started.stop();
    expect((await started.exited).reason).toBe('stopped');
  });

  it('ends a process whose mark is hidden, because it was seen below', async () => {
    const started = start(['sh', fixture('hides-mark.sh')]);
    await until('it is ready', () => started.seen.stdout === 'ready\n');
    const { pid } = (await started.ready)!;
    const hidden = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
    expect(readProcess(hidden)!.session).toBe(hidden);
    started.stop();
    await started.exited;
    expect(lives(hidden)).toBe(false);
  });
});

describe('what a process leaves running', () => {
  it('holds up nothing, although it holds the pipes and ignores TERM', async () => {
    const started = start(['sh', fixture('orphan-holds-pipe.sh')]);
    const result = await started.exited;
    expect(result).toMatchObject({ reason: 'exited', exitCode: 0, stdoutTail: 'left\n', survivors: [] });
    expect(marked(started.spec.mark)).toEqual([]);
  });

  it('is ended in a session of its own, too', async () => {
    const started = start(['sh', fixture('leaves-session.sh')]);
    const result = await started.exited;
    expect(Number(result.stdoutTail)).toBeGreaterThan(1);
    expect(lives(Number(result.stdoutTail))).toBe(false);
    expect(marked(started.spec.mark)).toEqual([]);
  });

  it('is ended in its group, too, when it hides its mark', async () => {
    const wait = 'until [ "$(wc -c < /proc/$!/environ)" = 0 ]; do :; done';
    const started = start(['sh', '-c', `env -i sleep 1000 >/dev/null 2>&1 & ${wait}; echo $!`]);
    const hidden = Number((await started.exited).stdoutTail);
    expect(hidden).toBeGreaterThan(1);
    expect(lives(hidden)).toBe(false);
  });

  it('holds up nothing even where it cannot be found', async () => {
    // Without mark, session and parent it is nobody's in a group; it holds the pipes all the same.
    const seconds = `1000.${process.hrtime.bigint()}`;
    const script = `mkfifo up; (setsid env -i sh -c 'echo > up; exec sleep ${seconds}' &); read line < up`;
    const started = start(['sh', '-c', script]);
    await until('it is there', () => processesNaming(seconds).length > 0);
    expect(await started.exited).toMatchObject({ reason: 'exited', exitCode: 0, survivors: [] });
    for (const pid of processesNaming(seconds)) process.kill(pid, 'SIGKILL');
  });

  it('is told from processes of others', async () => {
    const other = start(['sh', fixture('hangs.sh')]);
    const { pid } = (await other.ready)!;
    await start(['sh', fixture('leaves-session.sh')]).exited;
    expect(lives(pid)).toBe(true);
    other.stop();
    await other.exited;
  });
});
