import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `doctor`: what is here, and what would not work. */
export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('show which agent CLIs are here, how they can be held, and what would not work')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom doctor')
    .action(
      context.act(async (options: { json?: boolean }) =>
        (await import('../actions/doctor.ts')).doctor(context, options.json === true),
      ),
    );
}
