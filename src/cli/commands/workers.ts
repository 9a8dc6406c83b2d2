import { Argument, type Command } from 'commander';
import type { Context } from '../context.ts';
import type { WorkersAction, WorkersOptions } from '../actions/workers.ts';

/** `workers`: lists the workers of the project, or says to some of them to pause or to end. */
export function addWorkers(program: Command, context: Context): void {
  program
    .command('workers')
    .description('list the worker hosts of the project, or drain, pause or unpause one')
    .addArgument(
      new Argument('[action]', 'what to do').choices(['list', 'drain', 'pause', 'unpause']).default('list'),
    )
    .argument('[worker]', 'the host, or the id of one of its workers')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ mailroom workers\n  $ mailroom workers drain builder-2')
    .action(
      context.act(async (action: WorkersAction, target: string | undefined, options: WorkersOptions) =>
        (await import('../actions/workers.ts')).workers(context, action, target, options),
      ),
    );
}
