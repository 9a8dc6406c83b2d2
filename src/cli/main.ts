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
  terminal: Terminal = processTerminal(start.environment),
  extensions: readonly Extension[] = [],
): Promise<number> {
  const { program, context } = makeProgram(start, terminal, extensions);
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return context.code;
  } catch (error) {
    // The help or the version was requested and printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // The options of a command line that could not be parsed are unknown, so its words show whether
    // it wants JSON.
    const said = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
    const { reportFailure } = await import('./failures.ts');
    return reportFailure(error, context.terminal, {
      json: said.includes('--json'),
      debug: said.includes('--debug'),
      called: { name: start.name, words: said, commands: program.commands.map((command) => command.name()) },
    });
  }
}
