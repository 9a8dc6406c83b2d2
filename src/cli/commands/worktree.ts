import { Argument, type Command } from 'commander';
import type { WorktreeOptions } from '../actions/worktree.ts';
import type { Context } from '../context.ts';

/** `worktree`: lists, merges or removes the git worktrees of threads and roles. */
export function addWorktree(program: Command, context: Context): void {
  program
    .command('worktree')
    .description('list, merge or remove the git worktrees of threads and roles')
    .addArgument(new Argument('[action]', 'what to do').choices(['list', 'merge', 'remove']).default('list'))
    .argument('[thread]', 'the thread: its id, the beginning or end of it, or `last`')
    .option('--role <role>', 'the role whose worktree it is, where roles have their own')
    .option('--rules', 'merge it although it changes rules of the project')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ mailroom worktree\n  $ mailroom worktree merge 4f2a9c')
    .action(
      context.act(
        async (action: 'list' | 'merge' | 'remove', thread: string | undefined, options: WorktreeOptions) =>
          (await import('../actions/worktree.ts')).worktree(context, action, thread, options),
      ),
    );
}
