import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { SendOptions } from '../actions/send.ts';

/** `send`: writes a message properly. */
export function addSend(program: Command, context: Context): void {
  program
    .command('send')
    .description('send a message to a role, in the name of a person')
    .argument('<role>', 'who gets it; several with commas')
    .argument('[file]', 'its text; `-` is standard input')
    .option('-m, --message <text>', 'its text itself')
    .option('--type <type>', 'its type, where the protocol leaves a choice')
    .option('--subject <line>', 'its subject, instead of its first line')
    .option('--field <name=value>', 'a field of its type; may be given several times', collect)
    .option('--attach <path>', 'a path inside the project; may be given several times', collect)
    .option('--thread <id>', 'continue this thread instead of starting one')
    .option('--in-reply-to <id>', 'the message that it answers or refers to')
    .option('--as <role>', 'the role to speak for, instead of `user`')
    .option('--wait', 'wait for the answer, or for the end of the thread, and print it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom send architect --message "Add a --json flag to list"')
    .action(
      context.act(async (role: string, file: string | undefined, options: SendOptions) =>
        (await import('../actions/send.ts')).send(context, role, file ?? null, options),
      ),
    );
}
