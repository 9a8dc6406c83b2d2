import { spawn } from 'node:child_process';
import process from 'node:process';
import { buildEnvironment, type EnvironmentRequest } from '../sandbox/environment.ts';

/**
 * Starts a program without supervision, e.g. a notification, with these variables besides the usual
 * ones. Never throws.
 */
export function startDetached(
  argv: readonly string[],
  cwd: string,
  { inherit, set }: Required<Pick<EnvironmentRequest, 'inherit' | 'set'>>,
): void {
  const [program, ...args] = argv;
  if (program === undefined) return;
  // A variable cannot contain a NUL byte, and the values come from untrusted mail.
  const values = Object.entries(set).map(([name, value]) => [name, value.replaceAll('\0', '\ufffd')]);
  const env = buildEnvironment({ inherit, set: Object.fromEntries(values) as Record<string, string> });
  try {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' });
    child.on('error', () => {});
    child.unref();
  } catch {
    // For example too long for the system: the recipient still finds the mail in the inbox.
  }
}

/**
 * Starts this program with other arguments as a separate process, which survives this one and
 * prints nothing.
 */
export function startBeside(args: readonly string[], cwd: string): void {
  const argv = [...process.execArgv, process.argv[1] ?? '', ...args];
  const child = spawn(process.execPath, argv, { cwd, detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}
