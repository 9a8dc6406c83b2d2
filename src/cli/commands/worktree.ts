import { Argument, type Command } from 'commander';
import type { Context } from '../context.ts';

/** `worktree`: lists, merges or removes the threads' own git worktrees. */
export function addWorktree(program: Command, context: Context): void {
  program
    .command('worktree')
    .description('list, merge or remove the git worktrees of threads')
    .addArgument(new Argument('[action]', 'what to do').choices(['list', 'merge', 'remove']).default('list'))
    .argument('[thread]', 'the thread: its id, the beginning or end of it, or `last`')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom worktree\n  $ mailroom worktree merge 4f2a9c')
    .action(
      context.act(
        async (
          action: 'list' | 'merge' | 'remove',
          thread: string | undefined,
          options: { json?: boolean },
        ) =>
          (await import('../actions/worktree.ts')).worktree(context, action, thread, options.json === true),
      ),
    );
}
