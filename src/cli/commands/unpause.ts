import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `unpause`: ends a `pause`, also that of a role whose inbox was missing. */
export function addUnpause(program: Command, context: Context): void {
  program
    .command('unpause')
    .description('let a role, a thread, a run or everything continue after `pause`')
    .argument('<target>', 'a role, a thread or a run by its id, or `all`')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom unpause all')
    .action(
      context.act(async (target: string, options: { json?: boolean }) =>
        (await import('../run-control.ts')).pauseOrUnpause(context, 'unpause', target, options),
      ),
    );
}
