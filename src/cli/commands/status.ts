import type { Command } from 'commander';
import { momentHelp } from '../../operations/moment.ts';
import type { Context } from '../context.ts';
import type { StatusOptions } from '../actions/status.ts';

/** `status`: shows who runs, who waits for whom, and the cost. */
export function addStatus(program: Command, context: Context): void {
  program
    .command('status')
    .description('show running turns, waits and costs')
    .option('--watch', 'update the output whenever something changes')
    .option('--threads', 'list all threads, not only the newest')
    .option('--all', 'show all your projects instead, one line each')
    .option('--drop-gone', 'with --all: remove projects that no longer exist from the list')
    .option('--at <moment>', `show the past: ${momentHelp}`)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom status --watch')
    .action(
      context.act(async (options: StatusOptions) =>
        (await import('../actions/status.ts')).status(context, options),
      ),
    );
}
