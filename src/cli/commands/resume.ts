import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { follow, type FollowOptions } from '../run-follow.ts';

/** `resume`: goes on with a run after a failure, a crash or a stop. */
export function addResume(program: Command, context: Context): void {
  program
    .command('resume')
    .description('go on with a run: what is done is not done again')
    .argument('<run>', 'a run, by its id or the end of it')
    .option('--plain', 'one line per event, also on a terminal')
    .option('--json', 'print one JSON document at the end')
    .addHelpText('after', '\nExample:\n  $ mailroom resume 8c1d02')
    .action(context.act((run: string, options: FollowOptions) => resume(context, run, options)));
}

async function resume(context: Context, reference: string, options: FollowOptions): Promise<number> {
  context.outsideTurn('resume');
  const { workflows } = context.place();
  const run = workflows.run(reference);
  return follow(context, options, (watch) =>
    workflows.resume(run, { watch, command: null, definition: null }),
  );
}
