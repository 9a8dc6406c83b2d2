import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { control } from '../control.ts';

/** `cancel`: ends a turn or a thread for good. */
export function addCancel(program: Command, context: Context): void {
  program
    .command('cancel')
    .description('end a turn or a thread; its mail goes to failed/, and who waits in it is released')
    .argument('<target>', 'a turn (t12), or a thread by its id')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom cancel t12')
    .action(
      context.act((target: string, options: { json?: boolean }) =>
        control(context, 'cancel', target, options),
      ),
    );
}
