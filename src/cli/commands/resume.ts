import type { Command } from 'commander';
import { heartbeatOption } from '../options.ts';
import type { Context } from '../context.ts';
import type { ResumeCommandOptions } from '../actions/resume.ts';

/** `resume`: continues a run after a failure, a crash or a stop. */
export function addResume(program: Command, context: Context): void {
  program
    .command('resume')
    .description('continue a run; finished steps do not run again')
    .argument('<run>', 'a run: its id, the beginning or end of it, or `last`')
    .option('--explain', 'show what is reused, what runs and why, without starting anything')
    .option('--update', 'continue with the edited file; finished steps that it changes run again')
    .option(...heartbeatOption)
    .option('--plain', 'one line per event, also on a terminal')
    .option('--json', 'print one JSON document at the end')
    .addHelpText('after', '\nExample:\n  $ mailroom resume 8c1d02 --explain')
    .action(
      context.act(async (run: string, options: ResumeCommandOptions) =>
        (await import('../actions/resume.ts')).resume(context, run, options),
      ),
    );
}
