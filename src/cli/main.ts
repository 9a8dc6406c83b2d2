import { CommanderError } from 'commander';
import { makeProgram } from './program.ts';
import type { Start } from './context.ts';
import type { Extension } from './extension.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/**
 * Runs the program with the arguments after its name and resolves to its exit code. Never throws.
 */
export async function runCli(
  argv: readonly string[],
  start: Start,
  given?: Terminal,
  extensions: readonly Extension[] = [],
): Promise<number> {
  // Colours, and how errors are printed, are decided before the parsing, which may fail.
  const said = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const plain = said.includes('--no-color') ? { NO_COLOR: '1' } : {};
  const terminal = given ?? processTerminal({ ...start.environment, ...plain });
  const { program, context } = makeProgram(start, terminal, extensions);
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return context.code;
  } catch (error) {
    // The help or the version was requested and printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const { reportFailure } = await import('./failures.ts');
    return reportFailure(error, context.terminal, {
      json: said.includes('--json'),
      debug: said.includes('--debug'),
      called: { name: start.name, words: said, commands: program.commands.map((command) => command.name()) },
    });
  }
}
