import type { Command } from 'commander';
import type { McpOptions } from '../actions/mcp.ts';
import type { Context } from '../context.ts';

/**
 * `mcp`: serves the tools of a turn, for agents that prefer tools to files; elsewhere those of the
 * project, for a person's agent or editor.
 */
export function addMcp(program: Command, context: Context): void {
  program
    .command('mcp')
    .description('serve the tools of the project, or inside a turn those of the turn, over MCP on stdio')
    .option('--approve', 'also serve the tool that answers approvals')
    .addHelpText('after', '\nExample:\n  $ claude mcp add mailroom -- mailroom mcp')
    .action(
      context.act(async (options: McpOptions) => (await import('../actions/mcp.ts')).mcp(context, options)),
    );
}
