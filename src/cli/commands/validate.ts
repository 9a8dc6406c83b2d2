import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `validate`: everything that is wrong with workflows; starts nothing. */
export function addValidate(program: Command, context: Context): void {
  program
    .command('validate')
    .description('check workflows without starting anything')
    .argument('[workflow...]', 'files, or ids or names of workflows in workflows/; default: all of those')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom validate workflows/ship.yaml')
    .action(
      context.act(async (names: string[], options: { json?: boolean }) =>
        (await import('../actions/validate.ts')).runValidate(context, names, options),
      ),
    );
}
