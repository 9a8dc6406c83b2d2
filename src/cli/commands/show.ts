import type { Command } from 'commander';
import type { ShowOptions } from '../actions/show.ts';
import type { Context } from '../context.ts';
import { momentHelp } from '../../operations/moment.ts';

/** `show`: shows all details of one message, turn, thread, run or workflow. */
export function addShow(program: Command, context: Context): void {
  program
    .command('show')
    .description('show a message, turn, thread, run or workflow, with its state, cost and reasons')
    .argument(
      '<id>',
      'a message, thread or run: its id, the beginning or end of it, @1 of `inbox`, or `last`; a turn (t12); a workflow file',
    )
    .option('--at <moment>', `show it as it was: ${momentHelp}`)
    .option('--diff', 'print what the work of a message changes, or of a turn that is to land, as a patch')
    .option('--html', 'print a run or a thread as one HTML file that opens without a server')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ mailroom show 4f2a9c\n  $ mailroom show 4f2a9c --html > run.html')
    .action(
      context.act(async (id: string, options: ShowOptions) =>
        (await import('../actions/show.ts')).runShow(context, id, options),
      ),
    );
}
