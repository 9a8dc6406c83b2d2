import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
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
