import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { InitOptions } from '../actions/init.ts';

/** `init`: scaffolds a project that runs. */
export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .description('write a project that runs; files that are there are kept')
    .argument('[dir]', 'where; the current folder when it is not said')
    .option('--template <name>', 'feature-team, or calculator: the one of the tutorial')
    .option('--provider <name>', 'who plays the roles: claude, codex, gemini, opencode or rehearsal')
    .option('--for <workflow>', 'only what a workflow refers to and is not there: agents, skills, modules')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom init my-project')
    .action(
      context.act(async (directory: string | undefined, options: InitOptions) =>
        (await import('../actions/init.ts')).init(context, directory ?? null, options),
      ),
    );
}
