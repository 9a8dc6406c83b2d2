import { tellFailure } from './failures.ts';
import { makeProgram } from './program.ts';
import type { Services } from './services.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** Runs the program with the arguments that follow its name and resolves to its exit code. It never throws. */
export async function runCli(
  argv: readonly string[],
  services: Services,
  terminal: Terminal = processTerminal(services.environment),
): Promise<number> {
  const { program, context } = makeProgram(services, terminal);
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return context.code;
  } catch (error) {
    // What could not be parsed has told nobody how it wants to be answered.
    const said = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
    return tellFailure(error, terminal, { json: said.includes('--json'), debug: said.includes('--debug') });
  }
}
