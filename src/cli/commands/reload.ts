import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `reload`: allows a running `up` to start changed workflows. */
export function addReload(program: Command, context: Context): void {
  program
    .command('reload')
    .description('confirm changed workflows, so that a running `up` starts them')
    .argument('[workflow...]', 'files, or ids or names of workflows in workflows/; default: all of those')
    .addHelpText('after', '\nExample:\n  $ mailroom reload workflows/ship.yaml')
    .action(
      context.act(async (names: string[]) =>
        (await import('../actions/reload.ts')).runReload(context, names),
      ),
    );
}
