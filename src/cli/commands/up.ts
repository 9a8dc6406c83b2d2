import type { Command } from 'commander';
import { heartbeatOption } from '../options.ts';
import type { Context } from '../context.ts';
import type { UpOptions } from '../actions/up.ts';

/** `up`: runs the controller. */
export function addUp(program: Command, context: Context): void {
  program
    .command('up')
    .description('run the controller: watch the mail, deliver it and start roles')
    .option('--until-idle', 'exit when no work is left')
    .option('--drain', 'on Ctrl-C, let running turns finish')
    .option('--record <dir>', "record the agents' answers in this folder")
    .option('--replay <dir>', 'replay recorded answers instead of running agents')
    .option('--serve', 'also serve the page and the HTTP API, in a process of its own')
    .option('--port <n>', 'with --serve: listen on this port; default 6246, 0: any free one')
    .option(...heartbeatOption)
    .option('--plain', 'one line per event, also on a terminal')
    .option('--json', 'print one JSON document at the end')
    .addHelpText('after', '\nExample:\n  $ mailroom up --until-idle')
    .action(
      context.act(async (options: UpOptions) => (await import('../actions/up.ts')).up(context, options)),
    );
}
