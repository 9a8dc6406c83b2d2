import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `workflows`: lists the workflow definitions of the project. */
export function addWorkflows(program: Command, context: Context): void {
  program
    .command('workflows')
    .description('list the workflows in workflows/')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom workflows --json')
    .action(
      context.act(async (options: { json?: boolean }) =>
        (await import('../actions/workflows.ts')).listWorkflows(context, options.json === true),
      ),
    );
}
