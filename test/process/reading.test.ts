import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readOwnFile } from '../../src/process/plain-file.ts';
import { completed } from '../../src/process/sandbox/reading.ts';
import type { CommandLine } from '../../src/providers/provider.ts';

it('quotes files of a workspace, never what a link in it shows of elsewhere', () => {
  const root = mkdtempSync(join(tmpdir(), 'mailroom-reading-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'workspace');
  mkdirSync(join(folder, 'docs'), { recursive: true });
  writeFileSync(join(root, 'secret'), 'secret');
  writeFileSync(join(folder, 'docs/AGENTS.md'), 'Use tabs.');
  symlinkSync('docs/AGENTS.md', join(folder, 'inside'));
  symlinkSync('../secret', join(folder, 'outside'));
  symlinkSync('..', join(folder, 'above'));
  mkdirSync(join(folder, 'directory'));
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  const names = ['docs/AGENTS.md', 'inside', 'outside', 'above/secret', 'directory', 'fifo', 'missing'];
  const within = { folder, bytes: 6 };
  const command: CommandLine = {
    argv: ['x'],
    env: { A: '1', B: '1' },
    inherit: [],
    stdin: '',
    files: { a: '1' },
    writable: [],
    reading: {
      files: [
        ...names.map((name) => ({ path: join(folder, name), within })),
        { path: join(root, 'secret'), within: null },
      ],
      apply: (texts) => ({ stdin: JSON.stringify(texts), env: { B: '2' }, files: { b: '2' } }),
    },
  };
  const { argv, env, files, stdin } = completed(command);
  expect(JSON.parse(stdin)).toEqual(['Use ta', 'Use ta', null, null, null, null, null, 'secret']);
  expect({ argv, env, files }).toEqual({ argv: ['x'], env: { A: '1', B: '2' }, files: { a: '1', b: '2' } });
});

it.each([
  ['a pipe', (path: string) => void execFileSync('mkfifo', [path])],
  ['a folder', (path: string) => mkdirSync(path)],
])('refuses %s in the place of settings of the person, also behind a link', (_what, make) => {
  const root = mkdtempSync(join(tmpdir(), 'mailroom-reading-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  make(join(root, 'odd'));
  symlinkSync('odd', join(root, 'link'));
  symlinkSync('nothing', join(root, 'broken'));
  writeFileSync(join(root, 'file'), 'mine');
  symlinkSync('file', join(root, 'linked'));
  expect(readOwnFile(join(root, 'linked'))).toBe('mine');
  expect(readOwnFile(join(root, 'broken'))).toBeNull();
  for (const name of ['odd', 'link'])
    expect(() => readOwnFile(join(root, name))).toThrow(`${join(root, 'odd')} is not a file`);
});

it('takes no file into memory that it has no room for', () => {
  const root = mkdtempSync(join(tmpdir(), 'mailroom-reading-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, 'endless');
  writeFileSync(file, '');
  truncateSync(file, 2 ** 40);
  expect(() => readOwnFile(file)).toThrow(`${file} is larger than 256 MiB`);
});
