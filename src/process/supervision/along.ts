import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/** A process that ends with this one. */
export interface Along {
  /** The first line that it prints; null: it ended without one. */
  readonly line: string | null;
  /** Resolves once it has ended, to how. */
  readonly over: Promise<string>;
  /** Ends it in good order. */
  end(): Promise<void>;
}

/**
 * Starts this program with other arguments, in a process group of its own, and waits for its first
 * line. Its standard input is a pipe, which closes when this process ends in any way. Its errors go
 * to those of this process.
 */
export async function startAlong(args: readonly string[], cwd: string): Promise<Along> {
  const argv = [...process.execArgv, process.argv[1] ?? '', ...args];
  const child = spawn(process.execPath, argv, {
    cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const over = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${String(code)}`));
  });
  // It may have ended before.
  child.stdin.on('error', () => {});
  let heard = '';
  const line = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      const end = heard.indexOf('\n');
      if (end !== -1) resolve(heard.slice(0, end));
    });
  });
  const found = await Promise.race([line, over.then(() => null)]);
  // The caller keeps this process running.
  child.unref();
  return {
    line: found,
    over,
    end: async () => {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
