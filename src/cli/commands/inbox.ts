import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { InboxOptions } from '../actions/inbox.ts';

/** `inbox`: lists what waits for a person. */
export function addInbox(program: Command, context: Context): void {
  program
    .command('inbox')
    .description('list what waits for you: requests to answer, gates to approve, notices')
    .option('--as <role>', 'only what waits for this human role')
    .option('--watch', 'list it again whenever something changes')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ mailroom inbox\n  $ mailroom reply @1 --message "Use the second parser."',
    )
    .action(
      context.act(async (options: InboxOptions) =>
        (await import('../actions/inbox.ts')).inbox(context, options),
      ),
    );
}
