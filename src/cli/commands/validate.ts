import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { ValidateOptions } from '../actions/validate.ts';

/** `validate`: reports all problems of workflows; starts nothing. */
export function addValidate(program: Command, context: Context): void {
  program
    .command('validate')
    .description('check workflows without starting anything')
    .argument('[workflow...]', 'files, or ids or names of workflows in workflows/; default: all of those')
    .option('--overrides <file>', 'apply these changes to a swdl workflow; repeatable', collect)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom validate workflows/ship.yaml')
    .action(
      context.act(async (names: string[], options: ValidateOptions) =>
        (await import('../actions/validate.ts')).runValidate(context, names, options),
      ),
    );
}
