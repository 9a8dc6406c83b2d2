import process from 'node:process';
import { buildEnvironment, type EnvironmentRequest } from '../sandbox/environment.ts';
import { beginAlone } from '../starting/launcher.ts';

/**
 * Starts a program without supervision, e.g. a notification, with these variables besides the usual
 * ones. Never throws.
 */
export function startDetached(
  argv: readonly string[],
  cwd: string,
  { inherit, set }: Required<Pick<EnvironmentRequest, 'inherit' | 'set'>>,
): void {
  if (argv.length === 0) return;
  // A variable cannot contain a NUL byte, and the values come from untrusted mail.
  const values = Object.entries(set).map(([name, value]) => [name, value.replaceAll('\0', '\ufffd')]);
  const env = buildEnvironment({ inherit, set: Object.fromEntries(values) as Record<string, string> });
  // What cannot be started, for example because it is too long: the mail is in the inbox.
  beginAlone({ argv, cwd, env });
}

/**
 * Starts this program with other arguments as a separate process, which survives this one and
 * prints nothing, or into a new file (an absolute path), without which it does not start. The first
 * line there is `process <pid>`.
 */
export function startBeside(args: readonly string[], cwd: string, output: string | null = null): void {
  const own = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...args];
  // Only a new file: a link that somebody has put into its place is not followed.
  const printing = ['/bin/sh', '-c', 'set -C; exec >"$0" 2>&1; echo "process $$"; exec "$@"', output ?? ''];
  const argv = output === null ? own : [...printing, ...own];
  beginAlone({ argv, cwd, env: process.env as Record<string, string> });
}
