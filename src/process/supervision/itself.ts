import { spawn } from 'node:child_process';
import process from 'node:process';

/** A command of this program in a process of its own. */
export interface Itself {
  /** Passes a signal on. */
  signal(name: NodeJS.Signals): void;
  /** What it printed, and its exit code; null: a signal ended it. */
  readonly over: Promise<{ readonly code: number | null; readonly stdout: string }>;
}

/**
 * Starts this program with other arguments, in a process group of its own, so that the keyboard's
 * signals reach only this process. Its errors go to those of this process.
 */
export function startItself(args: readonly string[], cwd: string): Itself {
  const argv = [...process.execArgv, process.argv[1] ?? '', ...args];
  const child = spawn(process.execPath, argv, { cwd, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  return {
    signal: (name) => void child.kill(name),
    over: new Promise((resolve) => {
      child.once('error', () => resolve({ code: null, stdout }));
      child.once('close', (code) => resolve({ code, stdout }));
    }),
  };
}
