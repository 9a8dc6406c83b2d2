import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `runs`: lists the runs of the project. */
export function addRuns(program: Command, context: Context): void {
  program
    .command('runs')
    .description('list the runs of the project, newest first')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom runs --json')
    .action(
      context.act(async (options: { json?: boolean }) =>
        (await import('../actions/runs.ts')).listRuns(context, options.json === true),
      ),
    );
}
