import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { vi } from 'vitest';
import { ownProgram } from '../../src/process/sandbox/own-programs.ts';

/**
 * How the git process with this number, from 1, fails as on a full disk: `before` it has changed
 * anything, or `after` all that it does.
 */
interface Failing {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** The commands of git that some work starts, in their order. `root`: the project of the work. */
export async function started(
  root: string,
  work: () => Promise<unknown>,
  failing: Failing | null = null,
): Promise<string[]> {
  const real = ownProgram('git');
  const folder = join(root, '../counted');
  const log = join(folder, 'log');
  mkdirSync(folder, { recursive: true });
  writeFileSync(log, '');
  const fails =
    failing &&
    `[ "$(grep -c ^ '${log}')" -eq ${String(failing.at)} ] && { ${
      failing.when === 'after' ? `'${real}' "$@" > '${folder}/out'; ` : ''
    }echo 'fatal: No space left on device' >&2; exit 128; }`;
  const script = [
    '#!/bin/sh',
    `line=; for word; do line="$line $word"; done; echo "$line" >> '${log}'`,
    fails ?? '',
    `exec '${real}' "$@"`,
  ];
  writeFileSync(join(folder, 'git'), `${script.join('\n')}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
  try {
    await work();
  } finally {
    vi.unstubAllEnvs();
  }
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  return lines.map(
    (line) =>
      line
        .replaceAll(/ -c \S+/g, '')
        .trim()
        .split(' ')[0] ?? '',
  );
}
