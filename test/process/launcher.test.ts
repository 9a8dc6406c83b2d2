import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProcess } from '../../src/process/proc.ts';
import { run } from '../../src/process/run.ts';
import { Launcher, readyLauncher } from '../../src/process/starting/launcher.ts';
import { packageRoot } from '../support/project.ts';
import { bundleHost, startHost } from './host.ts';
import { freshMark, lives, marked, processesNaming, start, temporaryFolder, until } from './support.ts';

const host = await bundleHost('launched-host.ts');
const starter = join(packageRoot, 'bin/launcher.cjs');
const program = join(packageRoot, 'dist/launcher.cjs');
const path = process.env['PATH']!;

/** The launchers of a process. */
function launchersOf(pid: number): number[] {
  return processesNaming('launcher.cjs').filter((each) => readProcess(each)?.parent === pid && lives(each));
}

/** That of this process, which is ready. */
async function launcher(): Promise<number> {
  await until('a launcher is ready', () => readyLauncher() !== null);
  return launchersOf(process.pid)[0]!;
}

const bytes = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', ''));
const names = fc
  .stringMatching(/^[A-Za-z_][A-Za-z_0-9]{0,8}$/)
  .filter((name) => !/^(?:PATH|PWD|OLDPWD|_|SHLVL)$/.test(name));

describe('the launcher', () => {
  it('gives a program every byte of its arguments, its variables and its folder', async () => {
    await launcher();
    const above = temporaryFolder();
    let count = 0;
    const property = fc.asyncProperty(
      fc.array(bytes),
      fc.dictionary(names, bytes),
      bytes,
      async (args, env, name) => {
        const folder = join(above, `${(count += 1)}-${name.replaceAll('/', '').slice(0, 20)}`);
        mkdirSync(folder);
        const script = 'pwd; printf "%s\\0" "$@"; printf "%s\\0" "--"; env -0';
        const { stdout, error } = await run(['sh', '-c', script, 'sh', ...args], {
          cwd: folder,
          env: { ...env, PATH: path },
          encoding: 'latin1',
        });
        expect(error).toBeNull();
        const latin = (text: string): string => Buffer.from(text).toString('latin1');
        expect(stdout.startsWith(latin(`${folder}\n`))).toBe(true);
        const words = stdout.slice(latin(`${folder}\n`).length).split('\0');
        expect(words.slice(0, args.length)).toEqual(args.map(latin));
        const variables = new Set(words.slice(args.length + 1));
        for (const [key, value] of Object.entries(env)) expect(variables).toContain(latin(`${key}=${value}`));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('makes no more pipes before the host has opened those that it has made', () => {
    const asked: unknown[] = [];
    const child = Object.assign(new EventEmitter(), {
      connected: true,
      send: (ask: object) => 'pipes' in ask && asked.push(ask),
      unref() {},
    });
    const made = new Launcher(child as unknown as ChildProcess);
    // It makes some at first, unasked: under these numbers others would lie if it made more now.
    expect(made.pipes()).toEqual([]);
    made.morePipes();
    child.emit('message', { is: 'pipes', paths: ['/proc/1/fd/20'] });
    made.morePipes();
    expect(asked).toEqual([]);
    expect(made.pipes()).toEqual(['/proc/1/fd/20']);
    made.morePipes();
    expect(made.pipes()).toEqual([]);
    made.morePipes();
    expect(asked).toHaveLength(1);
  });

  it('starts programs of which this process is not the parent', async () => {
    const parent = await launcher();
    const started = start(['sh', '-c', 'echo runs; sleep 1000']);
    const { pid } = (await started.ready)!;
    expect(readProcess(pid)?.parent).toBe(parent);
    started.stop();
    expect((await started.exited).reason).toBe('stopped');
  });

  it.each(['SIGKILL', 'SIGSEGV'] as const)(
    'that %s ends takes its programs with it, and has a successor',
    async (signal) => {
      const first = await launcher();
      const waiting = start(['true'], { launchBarrier: true });
      const running = start([
        'sh',
        '-c',
        'trap "" TERM; (setsid sleep 1000 &); echo runs; sleep 1000; sleep 1000',
      ]);
      await waiting.ready;
      await until('it runs', () => running.seen.stdout !== '');
      const folder = temporaryFolder();
      const tool = run(['sh', '-c', 'sleep 0.2; echo done > done; echo said'], {
        cwd: folder,
        env: { PATH: path },
      });
      await until('the tool runs', () => processesNaming('echo done > done').length > 0);
      process.kill(first, signal);
      const lost = {
        reason: 'exited',
        signal: 'SIGKILL',
        error: 'the launcher has ended',
        survivors: [],
      };
      for (const each of [waiting, running]) expect(await each.exited).toMatchObject(lost);
      for (const each of [waiting, running]) expect(marked(each.spec.mark)).toEqual([]);
      // A tool of the host, such as git, is not ended: only what became of it is not known.
      expect(await tool).toMatchObject({ ended: 'spawn-failed', exitCode: null, stdout: 'said\n' });
      expect(existsSync(join(folder, 'done'))).toBe(true);
      expect(await start(['echo', 'again']).exited).toMatchObject({ exitCode: 0, stdoutTail: 'again\n' });
      expect(await launcher()).not.toBe(first);
    },
  );

  it('that has ended before its host listened is lost, so that another one is started', async () => {
    const child = spawn('true', { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
    expect(new Launcher(child).isLost).toBe(true);
  });

  it('that is lost before it has answered leaves nothing of what it was asked for', async () => {
    const first = await launcher();
    process.kill(first, 'SIGSTOP');
    // More than the pipe between them holds.
    const asked = Array.from({ length: 20 }, (_, index) =>
      start(['sh', '-c', 'sleep 1000', 'sh', `${index}`.repeat(50_000)]),
    );
    process.kill(first, 'SIGKILL');
    for (const each of asked) expect((await each.exited).reason).toBe('spawn-failed');
    for (const each of asked) expect(marked(each.spec.mark)).toEqual([]);
  });

  it('that was stopped for a while starts what it was asked for then', async () => {
    const first = await launcher();
    process.kill(first, 'SIGSTOP');
    const asked = Array.from({ length: 20 }, (_, index) => start(['echo', `${index}`.repeat(50_000)]));
    const stopped = start(['sleep', '1000']);
    stopped.stop();
    process.kill(first, 'SIGCONT');
    for (const each of asked) expect((await each.exited).exitCode).toBe(0);
    expect((await stopped.exited).reason).toBe('stopped');
  });
});

describe('a host with a launcher that is killed', () => {
  async function started(): Promise<{ running: ReturnType<typeof startHost>; folder: string; mark: string }> {
    const [folder, mark] = [temporaryFolder(), freshMark()];
    const running = startHost(host, starter, program, folder, mark);
    await until('its programs run', () => ['runs', 'began'].every((name) => existsSync(join(folder, name))));
    return { running, folder, mark };
  }

  it('leaves nothing running that belongs to its work, and lets its tools finish', async () => {
    const { running, folder, mark } = await started();
    const [child] = launchersOf(running.child.pid!);
    await running.kill();
    await until('the launcher has ended', () => !lives(child!));
    expect(marked(mark)).toEqual([]);
    expect(lives(Number(readFileSync(join(folder, 'left'), 'utf8')))).toBe(false);
    await until('the tool has finished', () => existsSync(join(folder, 'done')));
  });

  it('and its launcher with it: what is left is found by its mark', async () => {
    const { running, mark } = await started();
    const [child] = launchersOf(running.child.pid!);
    process.kill(child!, 'SIGSTOP');
    await running.kill();
    process.kill(child!, 'SIGKILL');
    await until('both have ended', () => !lives(child!));
    expect(marked(mark).length).toBeGreaterThan(0);
  });
});
