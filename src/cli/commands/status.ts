import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { StatusOptions } from '../actions/status.ts';

/** `status`: who runs, who waits for whom, what it cost. */
export function addStatus(program: Command, context: Context): void {
  program
    .command('status')
    .description('show who runs, who waits for whom since when, and what it cost')
    .option('--watch', 'show it again whenever something changes')
    .option('--all', 'list every thread that is still known')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom status --watch')
    .action(
      context.act(async (options: StatusOptions) =>
        (await import('../actions/status.ts')).status(context, options),
      ),
    );
}
