import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `unpause`: ends a `pause`, also that of a role whose inbox was missing. */
export function addUnpause(program: Command, context: Context): void {
  program
    .command('unpause')
    .description('let a role, a thread or everything continue after `pause`')
    .argument('<target>', 'a role, a thread by its id, or `all`')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom unpause all')
    .action(
      context.act(async (target: string, options: { json?: boolean }) =>
        (await import('../control.ts')).control(context, 'unpause', target, options),
      ),
    );
}
