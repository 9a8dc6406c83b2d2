import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { TrailOptions } from '../actions/trail.ts';

/** `trail`: prints the conversation, thread by thread. */
export function addTrail(program: Command, context: Context): void {
  program
    .command('trail')
    .description('show all messages, thread by thread')
    .argument('[thread]', 'only this thread: its id, the beginning or end of it, @1 of `inbox`, or `last`')
    .option('--full', 'show whole messages')
    .option('--watch', 'update the output whenever a message arrives')
    .option('--json', 'print one JSON array of messages')
    .addHelpText('after', '\nExample:\n  $ mailroom trail 4f2a9c --full')
    .action(
      context.act(async (thread: string | undefined, options: TrailOptions) =>
        (await import('../actions/trail.ts')).trail(context, thread ?? null, options),
      ),
    );
}
