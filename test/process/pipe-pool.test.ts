import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { launch } from '../../src/process/supervision/supervision.ts';
import { openOutputPipe, type OutputPipe } from '../../src/process/starting/pipe-pool.ts';
import { temporaryFolder } from './support.ts';

/** Opens files until no more can be. */
function openAll(): number[] {
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    return files;
  }
}

/** Lets so many more files be opened, and no further one, while something is tried; then how many can be opened is told. */
function withRoomFor(count: number, tried: () => void): number {
  const files = openAll();
  for (const file of files.splice(-count)) closeSync(file);
  tried();
  const rest = openAll();
  for (const file of [...files, ...rest]) closeSync(file);
  return rest.length;
}

function limitFiles(): void {
  const limitTo = (count: string) =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${count}:`]);
  const [usual = ''] = execFileSync('sh', ['-c', 'ulimit -Sn'], { encoding: 'utf8' }).split('\n');
  limitTo('400');
  onTestFinished(() => void limitTo(usual));
}

function close(pipe: OutputPipe | null): void {
  pipe?.discard();
  if (pipe !== null) closeSync(pipe.write);
}

it('takes no descriptor away where too few are left for pipes, and makes them when there are enough', () => {
  limitFiles();
  expect(withRoomFor(12, () => expect(openOutputPipe()).toBeNull())).toBe(12);
  const pipe = openOutputPipe();
  expect(pipe).not.toBeNull();
  close(pipe);
});

it('is not left open by a process that could not be started', () => {
  limitFiles();
  close(openOutputPipe());
  const folder = temporaryFolder();
  const files = { stdoutFile: join(folder, 'stdout'), stderrFile: join(folder, 'stderr') };
  const limits = { totalMs: null, idleMs: null, outputBytes: 1000 };
  const containment = { kind: 'group' } as const;
  const given = {
    argv: ['true'],
    cwd: folder,
    env: {},
    stdin: 'a prompt',
    mark: 'pipes',
    containment,
    launchBarrier: false,
  };
  const begin = () =>
    launch({ ...given, limits, secrets: [], ...files }, { started() {}, refused() {}, ended() {} });
  // Room for standard input and one of the two outputs; the pipe of that one is given up, with its two descriptors.
  expect(withRoomFor(2, () => expect(begin).toThrow('EMFILE'))).toBe(2 + 2);
});
