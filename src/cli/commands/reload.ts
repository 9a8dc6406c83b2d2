import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `reload`: allows a running `up` to use changed workflows and descriptions of roles. */
export function addReload(program: Command, context: Context): void {
  program
    .command('reload')
    .description('confirm changed workflows and roles, so that a running `up` uses them')
    .argument(
      '[workflow...]',
      'files, ids or names of workflows in workflows/, and agents/<role>/role.md; default: all of those',
    )
    .addHelpText('after', '\nExample:\n  $ mailroom reload workflows/ship.yaml')
    .action(
      context.act(async (names: string[]) =>
        (await import('../actions/reload.ts')).runReload(context, names),
      ),
    );
}
