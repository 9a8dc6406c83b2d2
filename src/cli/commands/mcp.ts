import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `mcp`: the tools of a turn, for agents that prefer tools to files; elsewhere those of workflows. */
export function addMcp(program: Command, context: Context): void {
  program
    .command('mcp')
    .description(
      'serve the tools of the turn that it is called in, else those of workflows, by the Model Context Protocol on stdio',
    )
    .addHelpText('after', '\nExample:\n  $ claude mcp add mailroom -- mailroom mcp')
    .action(context.act(async () => (await import('../actions/mcp.ts')).mcp(context)));
}
