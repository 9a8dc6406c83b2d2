import { Argument, type Command } from 'commander';
import type { PruneOptions } from '../actions/prune.ts';
import type { Context } from '../context.ts';

/** `prune`: removes what is old and not needed any more. */
export function addPrune(program: Command, context: Context): void {
  program
    .command('prune')
    .description('list and remove old turns, runs and worktrees that nothing needs')
    .addArgument(
      new Argument('[kinds...]', 'what to remove; default: all').choices(['turns', 'runs', 'worktrees']),
    )
    .option('--older-than <duration>', 'only what has not changed for so long', '30d')
    .option('--yes', 'remove without asking; otherwise only a terminal is asked')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ mailroom prune\n  $ mailroom prune turns --older-than 7d --yes')
    .action(
      context.act(async (kinds: ('turns' | 'runs' | 'worktrees')[], options: PruneOptions) =>
        (await import('../actions/prune.ts')).runPrune(context, kinds, options),
      ),
    );
}
