import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program } from './project.ts';
import { ran } from './ran.ts';

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
    const { code, stdout, stderr } = await runInShell(scratch, commandsOf(page));
    return { code, output: stdout + stderr };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function runInShell(scratch: string, script: string) {
  const bin = join(scratch, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'mailroom'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, 'mailroom'), 0o755);
  const { PATH, HOME } = process.env;
  const env = { PATH: `${bin}:${PATH ?? ''}`, HOME, TMPDIR: scratch };
  return ran('sh', ['-e', '-c', script], { cwd: scratch, env });
}
