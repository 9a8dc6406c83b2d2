import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { SendOptions } from '../actions/send.ts';

/** `send`: sends a message in the correct format. */
export function addSend(program: Command, context: Context): void {
  program
    .command('send')
    .description('send a message to a role as a person')
    .argument('<role>', 'the recipient roles, separated by commas')
    .argument('[file]', 'the text; `-` is standard input')
    .option('-m, --message <text>', 'the text of the message')
    .option('--type <type>', 'the message type, where several are allowed')
    .option('--subject <line>', 'the subject, instead of the first line of the text')
    .option('--field <name=value>', 'a field of the message; repeatable', collect)
    .option('--attach <path>', 'attach a file of the project; repeatable', collect)
    .option('--thread <id>', 'continue this thread instead of starting one')
    .option('--in-reply-to <id>', 'the message that this one answers')
    .option(
      '--as <role>',
      'the role to speak for (default: that of $MAILROOM_USER or the user name, else user)',
    )
    .option('--wait', 'wait for the answer, or for the end of the thread, and print it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom send architect --message "Add a --json flag to list"')
    .action(
      context.act(async (role: string, file: string | undefined, options: SendOptions) =>
        (await import('../actions/send.ts')).send(context, role, file ?? null, options),
      ),
    );
}
