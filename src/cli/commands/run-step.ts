import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withStartOptions } from '../options.ts';
import type { StartOptions } from '../run-start.ts';

/** `run-step`: runs one step of a workflow alone. */
export function addRunStep(program: Command, context: Context): void {
  const command = program
    .command('run-step')
    .description('run a single step of a workflow, in a new run')
    .argument('<workflow>', 'the workflow; or only the step, if a single workflow in workflows/ has it')
    .argument('[step]', 'the step');
  withStartOptions(command)
    .addHelpText('after', '\nExample:\n  $ mailroom run-step workflows/ship.yaml build')
    .action(
      context.act(async (first: string, second: string | undefined, options: StartOptions) => {
        const { runStep } = await import('../actions/run-step.ts');
        return runStep(context, first, second ?? null, options);
      }),
    );
}
