import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `graph`: prints a workflow as a diagram. */
export function addGraph(program: Command, context: Context): void {
  program
    .command('graph')
    .description('print a workflow as a diagram')
    .argument('<workflow>', 'a file, or the id or name of a workflow in workflows/')
    .option('--format <format>', 'mermaid or svg', 'mermaid')
    .addHelpText('after', '\nExample:\n  $ mailroom graph workflows/ship.yaml --format svg > ship.svg')
    .action(
      context.act(async (workflow: string, options: { format: string }) =>
        (await import('../actions/graph.ts')).draw(context, workflow, options.format),
      ),
    );
}
