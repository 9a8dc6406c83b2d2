import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { versionOf } from '../../src/project/doctor.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailroom-versions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

it('a program that prints its version is known by its first line', async () => {
  expect(await versionOf('claude', program('quick', 'echo 2.1.330; echo more'))).toBe('2.1.330');
});

it('a program that fails is a problem', async () => {
  const path = program('broken', 'exit 3');
  const text = `${path} is installed, but \`${path} --version\` fails`;
  expect(await versionOf('claude', path)).toEqual({ topic: 'claude', state: 'problem', text });
});

it('a program that is only slow is none', async () => {
  const path = program('slow', 'exec sleep 100');
  const text = `\`${path} --version\` printed nothing within 50ms`;
  expect(await versionOf('gemini', path, 50)).toEqual({ topic: 'gemini', state: 'warning', text });
});
