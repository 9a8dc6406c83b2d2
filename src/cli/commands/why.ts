import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `why`: explains why something does not move. */
export function addWhy(program: Command, context: Context): void {
  program
    .command('why')
    .description('explain why a role, message, thread, run or step does not move')
    .argument(
      '<target>',
      'a role, a turn (t12), the id of a message, thread or run, <run>/<step>, @1 of `inbox`, or `last`',
    )
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ mailroom why backend\n  $ mailroom why last/build')
    .action(
      context.act(async (target: string, options: { json?: boolean }) =>
        (await import('../actions/why.ts')).runWhy(context, target, options.json === true),
      ),
    );
}
