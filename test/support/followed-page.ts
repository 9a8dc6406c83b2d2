import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program } from './project.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The commands of a page, in order: those that it shows, and in comments what a reader does in an editor. */
function commandsOf(page: string): string {
  const text = readFileSync(join(repository, page), 'utf8');
  const found = text.matchAll(/^```sh\n([^]*?)^```$|^<!-- run: (.*) -->$/gm);
  return [...found].map(([, shown, hidden]) => shown ?? `${hidden ?? ''}\n`).join('');
}

/** Types all commands of a page of the documentation in a new folder, up to the first that fails. */
export async function follow(page: string): Promise<{ code: number | null; output: string }> {
  const scratch = mkdtempSync(join(tmpdir(), 'mailroom-page-'));
  try {
    return await runInShell(scratch, commandsOf(page));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function runInShell(scratch: string, script: string): Promise<{ code: number | null; output: string }> {
  const bin = join(scratch, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'mailroom'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, 'mailroom'), 0o755);
  const { PATH, HOME } = process.env;
  const env = { PATH: `${bin}:${PATH ?? ''}`, HOME, TMPDIR: scratch };
  return new Promise((resolve) => {
    const child = execFile('sh', ['-e', '-c', script], { cwd: scratch, env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr });
    });
  });
}
