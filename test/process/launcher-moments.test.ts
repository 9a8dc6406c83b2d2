import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readPlainFile } from '../../src/process/plain-file.ts';
import { listProcesses, readProcess } from '../../src/process/proc.ts';
import { sweepMarked } from '../../src/process/sweep.ts';
import { packageRoot } from '../support/project.ts';
import { bundleHost, startHost, type Host } from './host.ts';
import { fixture, freshMark, lives, marked, processesNaming, temporaryFolder, until } from './support.ts';

const host = await bundleHost('moment-host.ts');
const program = join(packageRoot, 'dist/launcher.cjs');
const lost = 'the launcher has ended';

interface Scene {
  readonly folder: string;
  readonly mark: string;
  readonly running: Host;
  readonly there: (name: string) => boolean;
  /** Lets the tool finish, which outlives both. */
  readonly finish: () => Promise<void>;
}

function stage(): Pick<Scene, 'folder' | 'mark'> {
  const [folder, mark] = [temporaryFolder(), freshMark()];
  for (const name of ['unfinished', 'victim'])
    writeFileSync(join(folder, name), '#!/bin/sh\nsleep 1000; exit\n');
  chmodSync(join(folder, 'victim'), 0o755);
  return { folder, mark };
}

function begin({ folder, mark }: Pick<Scene, 'folder' | 'mark'>, ...roles: readonly string[]): Scene {
  const running = startHost(host, fixture('moment-hook.cjs'), program, folder, mark, ...roles);
  onTestFinished(async () => {
    rmSync(join(folder, 'unfinished'), { force: true });
    if (lives(running.child.pid!)) await running.kill();
  });
  const there = (name: string) => existsSync(join(folder, name));
  const finish = async () => {
    rmSync(join(folder, 'unfinished'));
    await until('the tool has finished', () => there('done'));
  };
  return { folder, mark, running, there, finish };
}

function childrenOf(parent: number): number[] {
  return (listProcesses() ?? []).filter((pid) => readProcess(pid)?.parent === parent && lives(pid));
}

/** The first launcher of a host, as soon as it has one. */
async function launcherOf({ folder }: Scene): Promise<number> {
  const read = () => readPlainFile(join(folder, 'launcher')) ?? '';
  await until('there is a launcher', () => read().endsWith('\n'));
  return Number(read());
}

/** Nothing of the work is left once those who were not killed have done what they do. */
async function expectOver(scene: Scene, killed: string, launcher: number): Promise<void> {
  const { mark, running, there, finish } = scene;
  if (killed === 'launcher') {
    await until('the host knows the end of its work', () => there('works'));
    expect(marked(mark)).toEqual([]);
    expect(marked(`early-${mark}`)).not.toEqual([]);
    await finish();
    await until('the host has gone on', () => there('told'));
    const { works, tool, again } = JSON.parse(readFileSync(join(scene.folder, 'told'), 'utf8'));
    const ended = { reason: 'exited', signal: 'SIGKILL', error: lost, survivors: [] };
    expect(works.slice(0, 2)).toEqual([ended, ended]);
    expect(works[2]).toMatchObject({ error: lost, survivors: [] });
    expect(tool).toMatchObject({ ended: 'spawn-failed', error: lost });
    expect(again).toEqual({ stdoutTail: 'again\n', byLauncher: true, replaced: 2, launchers: 2 });
    return;
  }
  await until('the host has ended', () => !lives(running.child.pid!));
  await until('the launcher has ended', () => !lives(launcher));
  // Where both are gone, the next start does it.
  if (killed === 'both') for (const each of [mark, `early-${mark}`]) await sweepMarked(each, 300);
  for (const each of [mark, `early-${mark}`]) expect(marked(each)).toEqual([]);
  expect(there('done')).toBe(false);
  await finish();
}

const victims = ['launcher', 'host', 'both'] as const;
/** Who is killed when; and whether the program has the launch barrier. */
const table = (...rows: readonly (readonly [moment: string, gate: string])[]) =>
  victims.flatMap((killed) => rows.map((row) => [killed, ...row] as const));

describe('nothing is left of the work, and a tool finishes, when SIGKILL ends', () => {
  it.each(
    table(['asked', ''], ['forked', ''], ['forked', 'barrier'], ['reported', ''], ['reported', 'barrier']),
  )('%s, the start being %s %s', async (killed, moment, gate) => {
    const scene = begin(stage(), killed, moment, gate);
    const launcher = await launcherOf(scene);
    await expectOver(scene, killed, launcher);
  });

  it.for(victims)('%s while it forks: the child exists and has not run the program', async (killed, ctx) => {
    if (spawnSync('perl', ['-v']).error !== undefined) ctx.skip('perl is not installed');
    const place = stage();
    // Who opens a file with a lease waits until the holder gives it up.
    const lease = spawn('perl', ['-e', holder, join(place.folder, 'victim')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const held = once(lease, 'exit');
    onTestFinished(() => void lease.kill());
    await once(lease.stdout, 'data');
    const scene = begin(place, killed, 'forking');
    const launcher = await launcherOf(scene);
    await until('it is asked', () => scene.there('asked'));
    const unborn = () => childrenOf(launcher).filter((pid) => processesNaming(program).includes(pid));
    await until('the child exists', () => unborn().length > 0);
    const [child = 0] = unborn();
    kill(scene, killed, launcher);
    if (killed === 'launcher') await until('the host knows the end of its work', () => scene.there('works'));
    lease.stdin.end();
    await held;
    if (killed === 'both') await until('the program runs', () => marked(place.mark).includes(child));
    await expectOver(scene, killed, launcher);
    expect(lives(child)).toBe(false);
  });

  it.each(table(['stopped', '']))(
    '%s, the launcher having been %s before, with a full pipe between them',
    async (...roles) => {
      const [killed] = roles;
      const scene = begin(stage(), ...roles);
      const launcher = await launcherOf(scene);
      await until('it is asked', () => scene.there('asked'));
      kill(scene, killed, launcher);
      if (killed === 'host') process.kill(launcher, 'SIGCONT');
      await expectOver(scene, killed, launcher);
    },
  );
});

function kill({ running }: Scene, killed: string, launcher: number): void {
  if (killed !== 'launcher') running.child.kill('SIGKILL');
  if (killed !== 'host') process.kill(launcher, 'SIGKILL');
}

const holder = `$SIG{IO} = 'IGNORE'; open(F, '<', $ARGV[0]) or die; fcntl(F, 1024, 1) or die $!; $| = 1; print "held"; <STDIN>`;
