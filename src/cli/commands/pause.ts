import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `pause`: stops new starts. */
export function addPause(program: Command, context: Context): void {
  program
    .command('pause')
    .description('pause a role, a thread, a run or everything; running turns and steps continue')
    .argument('<target>', 'a role, a thread or a run by its id, or `all`')
    .option('--now', 'also stop running turns; they restart after `unpause`, and no attempt is counted')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom pause engineer --now')
    .action(
      context.act(async (target: string, options: { now?: boolean; json?: boolean }) =>
        (await import('../run-control.ts')).pauseOrUnpause(context, 'pause', target, options),
      ),
    );
}
