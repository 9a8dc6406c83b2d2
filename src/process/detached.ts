import { spawn } from 'node:child_process';
import process from 'node:process';
import { buildEnvironment } from './environment.ts';

/** Starts a program that is nobody's concern afterwards, e.g. a notification. Never throws. */
export function startDetached(
  argv: readonly string[],
  cwd: string,
  set: Readonly<Record<string, string>>,
): void {
  const [program, ...args] = argv;
  if (program === undefined) return;
  const env = buildEnvironment({ inherit: ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_*', 'XDG_*'], set });
  const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

/** Starts this very program with other words, beside the one that runs: it goes on when this one ends, and says nothing. */
export function startBeside(args: readonly string[], cwd: string): void {
  const argv = [...process.execArgv, process.argv[1] ?? '', ...args];
  const child = spawn(process.execPath, argv, { cwd, detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}
