import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { CheckOptions } from '../actions/check.ts';

/**
 * `check`: reports all problems of the protocol, the workflows and the settings; starts nothing.
 */
export function addCheck(program: Command, context: Context): void {
  program
    .command('check')
    .description('check mailroom.yaml, protocols/ and workflows/ without starting anything')
    .option('--explore', 'only look for states in which a role waits forever')
    .option('--no-explore', 'do not look for such states')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom check && mailroom up')
    .action(
      context.act(async (options: CheckOptions) =>
        (await import('../actions/check.ts')).runCheck(context, options),
      ),
    );
}
