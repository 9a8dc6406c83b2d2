import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
let scratch: string;

/** The commands of a page, in order: those that it shows, and in comments what a reader does in an editor. */
function commandsOf(page: string): string {
  const text = readFileSync(join(repository, page), 'utf8');
  const found = text.matchAll(/^```sh\n([^]*?)^```$|^<!-- run: (.*) -->$/gm);
  return [...found].map(([, shown, hidden]) => shown ?? `${hidden ?? ''}\n`).join('');
}

function runInShell(script: string): Promise<{ code: number | null; output: string }> {
  const bin = join(scratch, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'mailroom'),
    `#!/bin/sh\nexec '${process.execPath}' '${repository}bin/mailroom' "$@"\n`,
  );
  chmodSync(join(bin, 'mailroom'), 0o755);
  const { PATH, HOME } = process.env;
  const env = { PATH: `${bin}:${PATH ?? ''}`, HOME, TMPDIR: scratch };
  return new Promise((resolve) => {
    const child = execFile('sh', ['-e', '-c', script], { cwd: scratch, env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr });
    });
  });
}

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'mailroom-tutorial-'));
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

describe('the tutorial', () => {
  it('can be followed from its first command to its last', async () => {
    const { code, output } = await runInShell(commandsOf('docs/tutorial.md'));
    expect(output).toMatch(/ok: 4 roles, 7 types/);
    expect(output).toMatch(/idle: waiting_for_user/);
    expect(output).toMatch(/waits for qa .*\n.*owes engineer an answer to review-request/);
    expect(output).toMatch(/something failed: exit code 1/);
    const delivered = [...output.matchAll(/engineer → user: delivered — (.*) \(/g)].map(([, what]) => what);
    expect(delivered).toEqual(['Delivered: subtract', 'Delivered: divide', 'Delivered: power']);
    expect(code).toBe(0);
  }, 480_000);
});

describe('the guide to workflows', () => {
  it('can be followed from its first command to its last', async () => {
    const { code, output } = await runInShell(commandsOf('docs/workflows.md'));
    expect(output).toMatch(/survey SUCCEEDED/);
    expect(output).toMatch(/# Release notes/);
    expect(output).toMatch(/review SKIPPED: its condition was false/);
    expect(output).toMatch(/FAILED in .*: deploy: exit code 1/);
    expect(output).toMatch(/build +reused +SUCCEEDED\ndeploy +runs/);
    expect(output).toMatch(/dead\/deploy\/letter\.json/);
    expect(output).toMatch(/▸ work, round 3/);
    expect(output).toMatch(/✓ greet SUCCEEDED/);
    expect(output).toMatch(/ship-it is approved by/);
    expect(output).toMatch(/deployed with \*\*\*/);
    expect(output).not.toMatch(/E_INTERNAL|hunter2/);
    expect(code).toBe(0);
  }, 480_000);
});
