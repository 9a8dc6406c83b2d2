import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { WorkerOptions } from '../actions/worker.ts';

/** `worker`: runs turns for a controller on another host. */
export function addWorker(program: Command, context: Context): void {
  program
    .command('worker')
    .description('run turns and steps with `on: workers` on another host')
    .option('--roles <names>', 'the roles whose turns it runs: engineer,qa')
    .option('--steps <kinds>', 'the steps of workflows that it runs: agents, commands, or both')
    .option('--labels <names>', 'what this host has, for roles and steps that ask for it: linux,gpu')
    .option('--login <name>', 'whose usage limits its agents have; default: this host')
    .option('--slots <n>', 'how many turns and steps it runs at once; default 1')
    .option(
      '--queue <url>',
      'redis://host:6379, or postgres://host/database; default: as mailroom.yaml or $MAILROOM_QUEUE say',
    )
    .addHelpText('after', '\nExample:\n  $ mailroom worker --roles engineer,qa --slots 2')
    .action(
      context.act(async (options: WorkerOptions) =>
        (await import('../actions/worker.ts')).worker(context, options),
      ),
    );
}
