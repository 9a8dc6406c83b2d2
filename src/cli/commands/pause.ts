import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `pause`: holds back starts. */
export function addPause(program: Command, context: Context): void {
  program
    .command('pause')
    .description('start nothing more of a role, in a thread, or at all; what runs continues')
    .argument('<target>', 'a role, a thread by its id, or `all`')
    .option('--now', 'stop what runs too; it starts again after `unpause`, and nothing is counted')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom pause engineer --now')
    .action(
      context.act(async (target: string, options: { now?: boolean; json?: boolean }) =>
        (await import('../control.ts')).control(context, 'pause', target, options),
      ),
    );
}
