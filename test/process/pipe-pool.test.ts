import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { openOutputPipe } from '../../src/process/pipe-pool.ts';

/** Opens files until no more can be. */
function openAll(): number[] {
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    return files;
  }
}

it('takes no descriptor away where too few are left for pipes, and makes them when there are enough', () => {
  const limitTo = (count: string) =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${count}:`]);
  const [usual = ''] = execFileSync('sh', ['-c', 'ulimit -Sn'], { encoding: 'utf8' }).split('\n');
  limitTo('400');
  onTestFinished(() => void limitTo(usual));
  const files = openAll();
  for (const file of files.splice(-12)) closeSync(file);
  expect(openOutputPipe()).toBeNull();
  const rest = openAll();
  expect(rest).toHaveLength(12);
  for (const file of [...files, ...rest]) closeSync(file);
  const pipe = openOutputPipe();
  expect(pipe).not.toBeNull();
  pipe?.discard();
  closeSync(pipe!.write);
});
