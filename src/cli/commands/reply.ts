import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { LetterOptions } from '../letter.ts';

/** `reply`: the same as `send`, as the answer to a message. */
export function addReply(program: Command, context: Context): void {
  program
    .command('reply')
    .description('answer a message, as the person that it was sent to')
    .argument(
      '[id]',
      'the message: its id, the beginning or end of it, or @1 of `inbox` (default: the only request)',
    )
    .argument('[file]', 'the text; `-` is standard input')
    .option('-m, --message <text>', 'the text itself')
    .option('--type <type>', 'the type, where the message allows several answers')
    .option('--subject <line>', 'the subject, instead of the first line')
    .option('--field <name=value>', 'a field of the type; may be given several times', collect)
    .option('--attach <path>', 'a path inside the project; may be given several times', collect)
    .option('--as <role>', 'who answers, where several people got the message')
    .option('--wait', 'wait for what comes of it and print it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom reply 4f2a9c --message "Use the second parser."')
    .action(
      context.act(async (id: string | undefined, file: string | undefined, options: LetterOptions) =>
        (await import('../actions/reply.ts')).reply(context, id ?? null, file ?? null, options),
      ),
    );
}
