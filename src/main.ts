import { basename } from 'node:path';
import process from 'node:process';
import metadata from '../package.json' with { type: 'json' };
import { runCli } from './cli/main.ts';

/**
 * Runs the program with the arguments after its name; `packageRoot` is the folder of the installed
 * package. Resolves to the exit code.
 */
export function main(argv: readonly string[], packageRoot: string): Promise<number> {
  const here = { environment: process.env, cwd: process.cwd() };
  return runCli(argv, {
    name: basename(process.argv[1] ?? '') === 'orchestrate' ? 'orchestrate' : 'mailroom',
    version: metadata.version,
    ...here,
    services: async () => (await import('./wiring/services.ts')).servicesOf(packageRoot, here),
  });
}
