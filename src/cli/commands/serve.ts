import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { ServeOptions } from '../actions/serve.ts';

/** `serve`: offers the project to pages and programs of this machine. */
export function addServe(program: Command, context: Context): void {
  program
    .command('serve')
    .description('serve a page and an HTTP API of the project, on this machine only')
    .option('--port <n>', 'listen on this port; default 6246, 0: any free one')
    .option('--open', 'open the page in the browser')
    .option('--while-input', 'end when the standard input closes')
    .addHelpText('after', '\nExample:\n  $ mailroom serve')
    .action(
      context.act(async (options: ServeOptions) =>
        (await import('../actions/serve.ts')).serve(context, options),
      ),
    );
}
