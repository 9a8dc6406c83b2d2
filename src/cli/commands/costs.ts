import { Option, type Command } from 'commander';
import type { Context } from '../context.ts';
import type { CostsOptions } from '../actions/costs.ts';

/** `costs`: shows what was paid, and for what. */
export function addCosts(program: Command, context: Context): void {
  program
    .command('costs')
    .description(
      'show costs in tokens and dollars by role, thread, run, step, provider, model, host, day or week',
    )
    .option('--by <kinds>', 'group by these, separated by commas', 'role')
    .option('--since <when>', 'only costs since a date (2026-11-21) or within a duration (7d)')
    .addOption(new Option('--csv', 'print CSV, for a spreadsheet').conflicts('json'))
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom costs --by week,model --since 30d --csv')
    .action(
      context.act(async (options: CostsOptions) =>
        (await import('../actions/costs.ts')).costs(context, options),
      ),
    );
}
