import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { HostFault } from '../../src/kernel/contained.ts';
import {
  checkTemporaries,
  makeTemporary,
  removeDeadTemporaries,
  removeTemporary,
} from '../../src/process/temporaries.ts';
import { ProcessRunner } from '../../src/host/runner/agents.ts';
import { ProcessStepRunner } from '../../src/host/runner/steps.ts';
import { temporaryFolder, until } from './support.ts';

/** The name of a folder of ours, which now lies in another folder. */
function own(folder: string): string {
  const made = makeTemporary();
  renameSync(made, join(folder, basename(made)));
  return basename(made);
}

/** The same name as a process that is gone would have given. */
function dead(name: string): string {
  const pid = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim();
  return name.replace(`-${String(process.pid)}-`, `-${pid}-`);
}

it('removes what processes have left that are gone, and nothing else', () => {
  const folder = temporaryFolder();
  const living = own(folder);
  const left = dead(living);
  const reused = living.replace(/-(\d+)-([A-Za-z\d]{6})$/, '-1-$2');
  const elsewhere = left.replace(/^mailroom-\d+/, 'mailroom-1');
  const otherBoot = left.replace(/-[\da-f]{8}-(\d+-[A-Za-z\d]{6})$/, '-00000000-$1');
  const others = ['mailroom-test-abc', 'mailroom-abcdef', otherBoot, elsewhere];
  for (const name of [left, reused, ...others]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'file'), 'x');
  }
  const link = left.replace(/.{6}$/, 'linked');
  const target = temporaryFolder();
  writeFileSync(join(target, 'kept'), 'x');
  symlinkSync(target, join(folder, link));
  removeDeadTemporaries(folder);
  expect(new Set(others).size).toBe(4);
  expect(readdirSync(folder).toSorted()).toEqual([living, ...others, link].toSorted());
  expect(existsSync(join(target, 'kept'))).toBe(true);
});

const nobody = { ready: () => {}, assigned: () => {}, ended: () => {}, checked: () => {}, landing: () => {} };
const common = { mark: 'temporaries-test:', secrets: [], contain: () => ({ kind: 'group' }) as const };

it.each([
  [
    'of the mail',
    (project: string) =>
      new ProcessRunner(
        { ...common, project, providers: new Map(), now: Date.now, named: () => Promise.resolve([]) },
        nobody,
      ),
  ],
  ['of a run', (project: string) => new ProcessStepRunner({ ...common, project }, nobody)],
  ['of a new run', (project: string) => new ProcessStepRunner({ ...common, project, isFirst: true }, nobody)],
])('is done whenever a host begins: %s', async (_what, runner) => {
  const living = makeTemporary();
  const left = join(tmpdir(), dead(basename(living)));
  mkdirSync(left);
  await runner(temporaryFolder()).sweep();
  expect([existsSync(left), existsSync(living)]).toEqual([false, true]);
  removeTemporary(living);
});

it.each([
  ['many files', 3_000, ''],
  ['a tree that is deeper than a path', 1, 'd'.repeat(200)],
])('removes %s beside this process', async (_what, count, name) => {
  const folder = makeTemporary();
  writeFileSync(join(folder, 'marked'), 'x');
  if (name === '')
    for (let number = 0; number < count; number += 1) writeFileSync(join(folder, String(number)), '');
  else
    execFileSync(
      'sh',
      ['-c', `i=0; while [ $i -lt 300 ]; do mkdir ${name}; cd -P ${name}; i=$((i+1)); done`],
      {
        cwd: folder,
      },
    );
  expect(existsSync(folder)).toBe(true);
  removeTemporary(folder);
  await until('it is removed', () => !existsSync(folder));
});

it('leaves what cannot be removed, and continues', () => {
  expect(() => removeTemporary('/proc/self/task')).not.toThrow();
  expect(existsSync('/proc/self/task')).toBe(true);
});

it('a folder in which nothing can be made is a fault of the machine that names it', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const wrong of [join(folder, 'missing'), file]) {
    vi.stubEnv('TMPDIR', wrong);
    expect(checkTemporaries).toThrow(HostFault);
    const code = wrong === file ? 'ENOTDIR: not a directory' : 'ENOENT: no such file or directory';
    const text = `no temporary folder can be made in ${wrong}: ${code}`;
    for (const act of [checkTemporaries, makeTemporary]) {
      expect(act).toThrow(HostFault);
      expect(act).toThrow(text);
    }
    expect(() => removeDeadTemporaries()).not.toThrow();
  }
  vi.stubEnv('TMPDIR', folder);
  expect(checkTemporaries).not.toThrow();
  expect(readdirSync(folder)).toEqual(['file']);
  vi.unstubAllEnvs();
});
