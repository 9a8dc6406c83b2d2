import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { InitOptions } from '../actions/init.ts';

/** `init`: creates a project that runs. */
export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .description('create a runnable project, or add what an existing one lacks')
    .argument('[dir]', 'the folder; default: the current one')
    .option(
      '--template <name>',
      'one that `--list` shows, by default feature-team; or a folder (./name) or git URL',
    )
    .option(
      '--provider <name>',
      'the agent program for all roles: claude, codex, gemini, opencode, pi, agy or rehearsal',
    )
    .option(
      '--for <workflow>',
      'write only what a workflow refers to and does not exist: agents, skills, modules',
    )
    .option('--list', 'print the templates, each with its protocol; write nothing')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom init my-project')
    .action(
      context.act(async (directory: string | undefined, options: InitOptions) =>
        (await import('../actions/init.ts')).init(context, directory ?? null, options),
      ),
    );
}
