import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { UpOptions } from '../actions/up.ts';

/** `up`: the controller. */
export function addUp(program: Command, context: Context): void {
  program
    .command('up')
    .description('watch the mail, deliver it and wake who has something to do')
    .option('--until-idle', 'exit when no work is left')
    .option('--drain', 'on Ctrl-C, let running turns finish')
    .option('--record <dir>', 'record what its agents do into this folder')
    .option('--replay <dir>', 'let a recording answer in the place of all agents: no tokens are spent')
    .option('--plain', 'one line per event, also on a terminal')
    .option('--json', 'print one JSON document at the end')
    .addHelpText('after', '\nExample:\n  $ mailroom up --until-idle')
    .action(
      context.act(async (options: UpOptions) => (await import('../actions/up.ts')).up(context, options)),
    );
}
