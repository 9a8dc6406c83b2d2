import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { RetryOptions } from '../actions/retry-step.ts';

/** `retry`: requeues a dead letter, or retries a step of a run. */
export function addRetry(program: Command, context: Context): void {
  program
    .command('retry')
    .description(
      'put a failed message back into its inboxes, or run a failed step and the steps after it again',
    )
    .argument('<target>', 'a message or a run, by its id or the end of it')
    .argument('[step]', 'the step of the run')
    .option('--instructions <file>', 'replace the instructions of the step; `-` is standard input')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom retry 4f2a9c\n  $ mailroom retry 8c1d02 build')
    .action(
      context.act(async (target: string, step: string | undefined, options: RetryOptions) => {
        const run = context.place().workflows.find(target);
        if (run === null && step === undefined)
          return (await import('../control.ts')).control(context, 'retry', target, options);
        return (await import('../actions/retry-step.ts')).retryStep(
          context,
          run ?? context.place().workflows.run(target),
          step,
          options,
        );
      }),
    );
}
