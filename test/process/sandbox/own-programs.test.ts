import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../support.ts';
import {
  keepProgramsOutOf,
  ownPath,
  ownProgram,
  usablePath,
} from '../../../src/process/sandbox/own-programs.ts';

function program(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

function searching(...folders: readonly string[]): void {
  vi.stubEnv('PATH', folders.join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
}

it('finds our own programs outside of what agents write, wherever PATH looks first', () => {
  const [project, system] = [realpathSync(temporaryFolder()), realpathSync(temporaryFolder())];
  program(join(project, 'node_modules/.bin'), 'git');
  program(join(project, 'tools'), 'git');
  symlinkSync(join(project, 'tools'), join(system, 'linked'));
  mkdirSync(join(system, 'first'));
  symlinkSync(join(project, 'tools/git'), join(system, 'first/git'));
  const git = program(join(system, 'bin'), 'git');
  const folders = [join(system, 'linked'), join(system, 'first'), join(system, 'bin')];
  searching('tools', join(project, 'node_modules/.bin'), ...folders);
  keepProgramsOutOf(project);
  expect(ownProgram('git')).toBe(git);
  expect(ownPath()).toBe([join(system, 'first'), join(system, 'bin')].join(delimiter));
});

it('finds them once: what is made later, where nothing was, is no program of ours', () => {
  const system = realpathSync(temporaryFolder());
  const git = program(join(system, 'bin'), 'git');
  searching(join(system, 'later'), join(system, 'bin'));
  expect(ownProgram('git')).toBe(git);
  program(join(system, 'later'), 'git');
  program(join(system, 'later'), 'flock');
  expect([ownProgram('git'), ownProgram('flock')]).toEqual([git, 'flock']);
  expect(ownPath()).toBe(join(system, 'bin'));
});

it('gives others the absolute folders that were there, by their real names where agents write', () => {
  const project = realpathSync(temporaryFolder());
  keepProgramsOutOf(project);
  mkdirSync(join(project, 'real'));
  symlinkSync('real', join(project, 'alias'));
  writeFileSync(join(project, 'file'), '');
  const names = [
    '',
    '.',
    'relative',
    join(project, 'missing'),
    join(project, 'file'),
    join(project, 'alias'),
  ];
  const path = [...names, '/bin'].join(delimiter);
  expect(usablePath(path)).toBe([join(project, 'real'), '/bin'].join(delimiter));
  mkdirSync(join(project, 'missing'));
  expect(usablePath(path)).toBe([join(project, 'real'), '/bin'].join(delimiter));
});
