import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { run } from '../../src/process/run.ts';
import { readyLauncher } from '../../src/process/starting/launcher.ts';
import { supervise } from '../../src/process/supervision/supervise.ts';
import type { ProcessSpec } from '../../src/process/types.ts';
import { freshMark, temporaryFolder } from './support.ts';

vi.resetModules();
/** The same modules, loaded once more: they know of no launcher. */
const here = {
  ...(await import('../../src/process/run.ts')),
  ...(await import('../../src/process/starting/launcher.ts')),
  ...(await import('../../src/process/supervision/supervise.ts')),
};
const launched = { run, supervise, readyLauncher };

const PATH = process.env['PATH']!;
const aboveLimit = 128 * 1024;

/** The beginning of a program for a machine that is not this one (MIPS, or PDP-11). */
function elf(machine: number, size: 1 | 2 = 2): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x7fELF', 'latin1');
  header.set([size, 1, 1], 4);
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(machine, 18);
  header.writeUInt32LE(1, 20);
  return header;
}

interface Given extends Partial<Pick<ProcessSpec, 'cwd' | 'env' | 'stdin'>> {
  readonly argv: readonly string[];
}

function place(): string {
  const cwd = temporaryFolder();
  const program = (name: string, content: string | Buffer, mode = 0o755): void =>
    writeFileSync(join(cwd, name), content, { mode });
  mkdirSync(join(cwd, 'folder'));
  mkdirSync(join(cwd, 'closed'));
  program('plain', 'echo plain\n', 0o644);
  program('mips', elf(8));
  program('small', elf(65, 1));
  program('cut', elf(62).subarray(0, 20));
  program('text', 'echo "text $0 $1"; exit 3\n');
  program('empty', '');
  program('zeros', Buffer.alloc(100));
  program('gone', '#!/gone/interpreter -x\n');
  program('itself', '#!./itself\n');
  program('bare', '#!\necho bare\n');
  program('relative', '#!text\n');
  program('to-folder', '#!/tmp\n');
  program('windows', '#!/bin/sh\r\necho windows\r\n');
  program('fine', '#!/bin/sh -e\necho fine; false; echo on\n');
  symlinkSync('nowhere', join(cwd, 'dangling'));
  symlinkSync('circle', join(cwd, 'circle'));
  chmodSync(join(cwd, 'closed'), 0o600);
  return cwd;
}

const giving = (argv: readonly string[], more: Omit<Given, 'argv'> = {}): Given => ({ argv, ...more });
const rows: Readonly<Record<string, (cwd: string) => Given>> = {
  'a missing program': () => giving(['./missing']),
  'no program': () => giving([]),
  'a program without a name': () => giving(['', 'x']),
  'a folder': () => giving(['./folder']),
  'a folder with a slash': () => giving(['./folder/']),
  'a program below a file': () => giving(['./plain/program']),
  'what is not executable': () => giving(['./plain']),
  'a program of another machine': () => giving(['./mips']),
  'a program of another size': () => giving(['./small']),
  'a program that is cut off': () => giving(['./cut']),
  'a text without an interpreter': () => giving(['./text', 'one']),
  'an empty file': () => giving(['./empty']),
  'a file of zeros': () => giving(['./zeros']),
  'an interpreter that is gone': () => giving(['./gone']),
  'an interpreter that is itself': () => giving(['./itself']),
  'an interpreter without a name': () => giving(['./bare']),
  'an interpreter by a name': () => giving(['./relative']),
  'an interpreter that is a folder': () => giving(['./to-folder']),
  'an interpreter that ends in a return': () => giving(['./windows']),
  'a link to nothing': () => giving(['./dangling']),
  'a link to itself': () => giving(['./circle']),
  'a name that is too long': () => giving([`./${'n'.repeat(300)}`]),
  'a path that is too long': () => giving([`./${'n/'.repeat(3000)}`]),
  'one argument that is too long': () => giving(['true', 'x'.repeat(aboveLimit)]),
  'the longest argument': () => giving(['true', 'x'.repeat(aboveLimit - 1)]),
  'an argument that is too long by its bytes': () => giving(['true', 'ä'.repeat(aboveLimit / 2)]),
  'arguments that are too long together': () =>
    giving(['true', ...Array<string>(60).fill('x'.repeat(120_000))]),
  'a variable that is too long': () => giving(['true'], { env: { PATH, LONG: 'x'.repeat(aboveLimit) } }),
  'a folder that is gone': (cwd) => giving(['true'], { cwd: join(cwd, 'nowhere') }),
  'a folder that is a file': (cwd) => giving(['true'], { cwd: join(cwd, 'plain') }),
  'a folder that may not be entered': (cwd) => giving(['pwd'], { cwd: join(cwd, 'closed') }),
  'a folder with a NUL byte': (cwd) => giving(['true'], { cwd: `${cwd}\0` }),
  'a folder without a name': () => giving(['pwd'], { cwd: '' }),
  'a folder from that of the host': () => giving(['pwd'], { cwd: 'src' }),
  'a program with a NUL byte': () => giving(['./te\0xt']),
  'an argument with a NUL byte': () => giving(['true', 'a\0b']),
  'a value with a NUL byte': () => giving(['true'], { env: { PATH, NUL: 'a\0b' } }),
  'a variable with a NUL byte': () => giving(['true'], { env: { PATH, 'N\0L': 'a' } }),
  'a name that is nowhere in PATH': () => giving(['no-such-program']),
  'a name in the folder alone': () => giving(['fine']),
  'a name in a PATH of the folder': () => giving(['fine'], { env: { PATH: '.' } }),
  'a name in a PATH with an empty part': () => giving(['fine'], { env: { PATH: ':/nowhere' } }),
  'a name in an empty PATH': () => giving(['sh', '-c', 'echo found'], { env: { PATH: '' } }),
  'a name without a PATH': () => giving(['sh', '-c', 'echo found'], { env: {} }),
  'bash without a PATH': () => giving(['bash', '-c', 'echo found'], { env: {} }),
  'a name that first is not executable': () => giving(['plain'], { env: { PATH: `.:${PATH}` } }),
  'lone surrogates': () => giving(['printf', '%s', '\ud800x\udc00']),
  'a text as its input': () => giving(['cat'], { stdin: 'words' }),
  'what runs': () => giving(['./fine']),
};

/** All that is known of its end. */
async function both(way: Pick<typeof launched, 'run' | 'supervise'>, folder: string, given: Given) {
  const { argv, cwd = folder, env = { PATH }, stdin = '' } = given;
  const { durationMs, startedAt, ...supervised } = await way.supervise({
    argv,
    cwd,
    env,
    stdin,
    mark: freshMark(),
    containment: { kind: 'group' },
    launchBarrier: false,
    limits: { totalMs: null, idleMs: null, outputBytes: 1000 },
    secrets: [],
    keeps: { head: 1000, tail: 1000 },
    stdoutFile: join(folder, 'out'),
    stderrFile: join(folder, 'err'),
  }).exited;
  expect(durationMs).toBeGreaterThanOrEqual(0);
  const ran = await way.run(argv, { cwd, env, ...(stdin !== '' && { stdin }) });
  return { supervised: { ...supervised, hasStarted: startedAt !== null }, ran };
}

describe('what is started, or cannot be, has the same result with and without a launcher:', () => {
  it.each(Object.entries(rows))('%s', async (_, row) => {
    const folder = place();
    const what = row(folder);
    expect(here.readyLauncher()).toBeNull();
    expect(launched.readyLauncher()).not.toBeNull();
    const byLauncher = await both(launched, folder, what);
    expect(byLauncher).toEqual(await both(here, folder, what));
  });
});
