import { spawn } from 'node:child_process';
import process from 'node:process';
import { buildEnvironment } from '../sandbox/environment.ts';

/** Starts a program that is nobody's concern afterwards, e.g. a notification. Never throws. */
export function startDetached(
  argv: readonly string[],
  cwd: string,
  set: Readonly<Record<string, string>>,
): void {
  const [program, ...args] = argv;
  if (program === undefined) return;
  // No variable can hold a NUL byte, and the values are words of strangers.
  const values = Object.entries(set).map(([name, value]) => [name, value.replaceAll('\0', '\ufffd')]);
  const inherit = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_*', 'XDG_*'];
  const env = buildEnvironment({ inherit, set: Object.fromEntries(values) as Record<string, string> });
  try {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' });
    child.on('error', () => {});
    child.unref();
  } catch {
    // Too long for the system, for instance: who cannot be notified finds the mail in the inbox.
  }
}

/** Starts this very program with other words, beside the one that runs: it goes on when this one ends, and says nothing. */
export function startBeside(args: readonly string[], cwd: string): void {
  const argv = [...process.execArgv, process.argv[1] ?? '', ...args];
  const child = spawn(process.execPath, argv, { cwd, detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}
