import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { inTemporary } from './temporaries.ts';

type Edited =
  | { readonly is: 'saved'; readonly text: string }
  /** It ended with an error: its author gave up. */
  | { readonly is: 'given-up' }
  /** It could not be started. */
  | { readonly is: 'missing' };

/** What a shell answers for a program that does not exist, or that it must not run. */
const cannotStart: ReadonlySet<number | null> = new Set([126, 127]);

/**
 * Lets a person edit text at the terminal of this process. `command`: a shell command, as in
 * $EDITOR, that takes a file.
 */
export async function edit(command: string, text: string): Promise<Edited> {
  return inTemporary(async (folder) => {
    const file = join(folder, 'answer.md');
    writeFileSync(file, text, { mode: 0o600 });
    const code = await exitCodeOf(command, file);
    if (code !== 0) return { is: cannotStart.has(code) ? 'missing' : 'given-up' };
    return { is: 'saved', text: readFileSync(file, 'utf8') };
  });
}

/** Null: a signal ended it. Ctrl-C is for the editor, not for this process. */
async function exitCodeOf(command: string, file: string): Promise<number | null> {
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  try {
    return await new Promise((resolve) => {
      const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], { stdio: 'inherit' });
      child.on('error', () => resolve(127));
      child.on('exit', resolve);
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}
