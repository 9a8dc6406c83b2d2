import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { LogsOptions } from '../actions/logs.ts';

/** `logs`: prints the output of the steps of a run. */
export function addLogs(program: Command, context: Context): void {
  program
    .command('logs')
    .description('print the output of the steps of a run')
    .argument('<run>', 'a run: its id, the beginning or end of it, or `last`')
    .option('--step <step>', 'only this step, with its inner steps and all iterations')
    .option('--follow', 'print until the run ends')
    .addHelpText('after', '\nExample:\n  $ mailroom logs 8c1d02 --step build --follow')
    .action(
      context.act(async (run: string, options: LogsOptions) =>
        (await import('../actions/logs.ts')).printLogs(context, run, options),
      ),
    );
}
