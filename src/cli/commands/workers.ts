import { Argument, type Command } from 'commander';
import type { Context } from '../context.ts';
import type { WorkersAction, WorkersOptions } from '../actions/workers.ts';

/** `workers`: lists and invites the workers of the project, or pauses or ends some of them. */
export function addWorkers(program: Command, context: Context): void {
  program
    .command('workers')
    .description('list the worker hosts, invite one, or drain, pause or unpause one')
    .addArgument(
      new Argument('[action]', 'what to do')
        .choices(['list', 'invite', 'drain', 'pause', 'unpause'])
        .default('list'),
    )
    .argument('[worker]', 'the host, or the id of one of its workers; of a new one, its name')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ mailroom workers\n  $ mailroom workers invite builder-2\n  $ mailroom workers drain builder-2',
    )
    .action(
      context.act(async (action: WorkersAction, target: string | undefined, options: WorkersOptions) =>
        (await import('../actions/workers.ts')).workers(context, action, target, options),
      ),
    );
}
