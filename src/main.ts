import { basename } from 'node:path';
import process from 'node:process';
import metadata from '../package.json' with { type: 'json' };
import { currentFolder } from './cli/current-folder.ts';
import { runCli } from './cli/main.ts';
import type { Start } from './cli/context.ts';
import { extensions } from './extensions/list.ts';
import type { Terminal } from './cli/terminal.ts';
import type { CallOptions } from './cli/call.ts';

interface Here {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: the current folder. */
  readonly cwd?: string;
  readonly terminal?: Terminal;
  readonly launch?: CallOptions['launch'];
  readonly streams?: Start['streams'];
}

/**
 * Runs the program with the arguments after its name; `packageRoot` is the folder of the installed
 * package. Resolves to the exit code.
 */
export function main(
  argv: readonly string[],
  packageRoot: string,
  here: Here = { environment: process.env },
): Promise<number> {
  const { environment, terminal, launch, streams } = here;
  const start: Start = {
    name: basename(process.argv[1] ?? '') === 'orchestrate' ? 'orchestrate' : 'mailroom',
    version: metadata.version,
    environment,
    streams,
    get cwd() {
      return here.cwd ?? currentFolder();
    },
    call: async () => {
      const { Call } = await import('./cli/call.ts');
      return new Call({ packageRoot, environment, cwd: start.cwd, launch, hooks: extensions });
    },
  };
  return runCli(argv, start, terminal, extensions);
}
