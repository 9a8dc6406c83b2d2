import type { Command } from 'commander';
import type { Context } from '../context.ts';

/**
 * `mcp`: serves the tools of a turn, for agents that prefer tools to files; elsewhere those of
 * workflows.
 */
export function addMcp(program: Command, context: Context): void {
  program
    .command('mcp')
    .description(
      'serve the tools of the current turn, or outside a turn those of workflows, over MCP on stdio',
    )
    .addHelpText('after', '\nExample:\n  $ claude mcp add mailroom -- mailroom mcp')
    .action(context.act(async () => (await import('../actions/mcp.ts')).mcp(context)));
}
