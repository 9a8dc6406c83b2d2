import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withStartOptions } from '../options.ts';
import type { OneShotOptions } from '../run-one-shot.ts';

/** `run`: starts a workflow and follows it until it ends. */
export function addRun(program: Command, context: Context): void {
  const command = program
    .command('run')
    .description('run a workflow to its end')
    .argument('<workflow>', 'a file, or the id or name of a workflow in workflows/; with --agent, the task')
    .option('--agent <provider>', 'let this agent do one task, which is the argument, without a workflow')
    .option('--model <name>', 'with --agent: the model, as its program names it')
    .option('--capabilities <list>', 'with --agent: what it may do, such as READ,EDIT')
    .option('--timeout <duration>', 'with --agent: how long it may take; default 1h');
  withStartOptions(command)
    .addHelpText(
      'after',
      '\nExamples:\n  $ mailroom run workflows/ship.yaml --param feature=auth\n  $ mailroom run --agent claude --budget usd=1 "Fix the failing tests."',
    )
    .action(
      context.act(async (workflow: string, options: OneShotOptions) => {
        const { refuseIdleOptions, runOneShot } = await import('../run-one-shot.ts');
        refuseIdleOptions(options);
        if (options.agent !== undefined) return runOneShot(context, options.agent, workflow, options);
        const asked = await context.place().workflows.asked(workflow, context.call.cwd);
        if (asked !== null) {
          const { startAsked } = await import('../run-request.ts');
          return startAsked(context, asked, options);
        }
        const { startRun } = await import('../run-start.ts');
        return startRun(context, workflow, options);
      }),
    );
}
