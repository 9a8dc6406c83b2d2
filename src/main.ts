import { basename } from 'node:path';
import process from 'node:process';
import metadata from '../package.json' with { type: 'json' };
import { runCli } from './cli/main.ts';
import type { Terminal } from './cli/terminal.ts';

interface Here {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly terminal?: Terminal;
}

/**
 * Runs the program with the arguments after its name; `packageRoot` is the folder of the installed
 * package. Resolves to the exit code.
 */
export function main(
  argv: readonly string[],
  packageRoot: string,
  here: Here = { environment: process.env, cwd: process.cwd() },
): Promise<number> {
  const { environment, cwd, terminal } = here;
  return runCli(
    argv,
    {
      name: basename(process.argv[1] ?? '') === 'orchestrate' ? 'orchestrate' : 'mailroom',
      version: metadata.version,
      environment,
      cwd,
      call: async () => new (await import('./operations/call.ts')).Call({ packageRoot, environment, cwd }),
    },
    terminal,
  );
}
