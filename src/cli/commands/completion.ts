import { Argument, type Command } from 'commander';
import type { scripts } from '../completion.ts';
import type { Context } from '../context.ts';

type Shell = keyof typeof scripts;

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** `completion`: the script for a shell; and the hidden `complete`, which the script calls. */
export function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', '\nExample:\n  $ eval "$(mailroom completion bash)"')
    .action(
      context.act(async (shell: Shell) => {
        const { scripts } = await import('../completion.ts');
        context.terminal.write(scripts[shell]);
        return 0;
      }),
    );
  program
    .command('complete', { hidden: true })
    .argument('[words...]', 'the command line after the name of the program')
    .action(
      context.act(async (words: string[]) =>
        (await import('../actions/completion.ts')).complete(program, context, words),
      ),
    );
}
