// What the scripts that run tests start from.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program with inherited output and returns its exit code. */
export function run(command, args, env = process.env) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
  });
  if (error !== undefined) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}
