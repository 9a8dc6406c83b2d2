import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { MessageOptions } from '../message-options.ts';

/** `reply`: like `send`, as the answer to a message. */
export function addReply(program: Command, context: Context): void {
  program
    .command('reply')
    .description('answer a message as the person who received it')
    .argument(
      '[id]',
      'the message: its id, the beginning or end of it, or @1 of `inbox` (default: the only request)',
    )
    .argument('[file]', 'the text; `-` is standard input')
    .option('-m, --message <text>', 'the text of the message')
    .option('--type <type>', 'the message type, where several types answer')
    .option('--subject <line>', 'the subject, instead of the first line of the text')
    .option('--field <name=value>', 'a field of the message; repeatable', collect)
    .option('--attach <path>', 'attach a file of the project; repeatable', collect)
    .option(
      '--as <role>',
      'the role to answer as (default: that of $MAILROOM_USER or the user name, else user)',
    )
    .option('--wait', 'wait for the outcome and print it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom reply 4f2a9c --message "Use the second parser."')
    .action(
      context.act(async (id: string | undefined, file: string | undefined, options: MessageOptions) =>
        (await import('../actions/reply.ts')).reply(context, id ?? null, file ?? null, options),
      ),
    );
}
