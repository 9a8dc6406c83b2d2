import type { Command } from 'commander';
import type { GraphOptions } from '../actions/graph.ts';
import type { Context } from '../context.ts';

/** `graph`: prints a workflow, or the protocol, as a diagram. */
export function addGraph(program: Command, context: Context): void {
  program
    .command('graph')
    .description('print a workflow, or the protocol, as a diagram')
    .argument('[workflow]', 'a file, or the id or name of a workflow in workflows/')
    .option('--protocol', 'print the protocol of the project')
    .option(
      '--format <format>',
      'mermaid (default of workflows), or of the protocol text, which is its default',
    )
    .addHelpText('after', '\nExample:\n  $ mailroom graph workflows/ship.yaml > ship.mmd')
    .action(
      context.act(async (workflow: string | undefined, options: GraphOptions) =>
        (await import('../actions/graph.ts')).draw(context, workflow ?? null, options),
      ),
    );
}
