import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withStartOptions } from '../options.ts';
import type { StartOptions } from '../run-start.ts';

/** `watch`: runs a workflow, and reruns it whenever a file of its workspace changes. */
export function addWatch(program: Command, context: Context): void {
  const command = program
    .command('watch')
    .description('run a workflow, and again after every change of a file in its workspace')
    .argument('<workflow>', 'a file, or the id or name of a workflow in workflows/');
  withStartOptions(command)
    .addHelpText('after', '\nExample:\n  $ mailroom watch workflows/check.yaml')
    .action(
      context.act(async (workflow: string, options: StartOptions) =>
        (await import('../actions/watch.ts')).watch(context, workflow, options),
      ),
    );
}
