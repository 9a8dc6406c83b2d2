import { Option, type Command } from 'commander';
import type { Context } from '../context.ts';
import type { CostsOptions } from '../actions/costs.ts';

/** `costs`: shows what was paid, and for what. */
export function addCosts(program: Command, context: Context): void {
  program
    .command('costs')
    .description('show costs in tokens and dollars by role, thread, run, step, provider or day')
    .addOption(
      new Option('--by <kind>', 'group by role, thread, run, step, provider or day')
        .choices(['role', 'thread', 'run', 'step', 'provider', 'day'])
        .default('role'),
    )
    .option('--since <when>', 'only costs since a date (2026-11-21) or within a duration (7d)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom costs --by provider --since 7d')
    .action(
      context.act(async (options: CostsOptions) =>
        (await import('../actions/costs.ts')).costs(context, options),
      ),
    );
}
