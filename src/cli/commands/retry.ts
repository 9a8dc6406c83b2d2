import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { control } from '../control.ts';

/** `retry`: puts a dead letter back. */
export function addRetry(program: Command, context: Context): void {
  program
    .command('retry')
    .description('put a failed message back into the inboxes that it failed in')
    .argument('<message>', 'its id, or the beginning or end of it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom retry 4f2a9c')
    .action(
      context.act((target: string, options: { json?: boolean }) =>
        control(context, 'retry', target, options),
      ),
    );
}
