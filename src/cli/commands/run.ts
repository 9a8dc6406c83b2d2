import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withStartOptions } from '../options.ts';
import type { StartOptions } from '../run-start.ts';

/** `run`: starts a workflow and follows it until it ends. */
export function addRun(program: Command, context: Context): void {
  const command = program
    .command('run')
    .description('run a workflow to its end')
    .argument('<workflow>', 'a file, or the id or name of a workflow in workflows/');
  withStartOptions(command)
    .addHelpText('after', '\nExample:\n  $ mailroom run workflows/ship.yaml --param feature=auth')
    .action(
      context.act(async (workflow: string, options: StartOptions) => {
        const asked = await context.place().workflows.asked(workflow, context.services.cwd);
        if (asked !== null) {
          const { startAsked } = await import('../run-request.ts');
          return startAsked(context, asked, options);
        }
        const { startRun } = await import('../run-start.ts');
        return startRun(context, workflow, options);
      }),
    );
}
