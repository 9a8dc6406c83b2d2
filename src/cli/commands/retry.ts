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
    .argument('<target>', 'a message or a run: its id, the beginning or end of it, `@1`, or `last`')
    .argument('[step]', 'the step of the run')
    .option('--instructions <file>', 'replace the instructions of the step; `-` is standard input')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ mailroom retry 4f2a9c\n  $ mailroom retry 8c1d02 build')
    .action(
      context.act(async (target: string, step: string | undefined, options: RetryOptions) => {
        const { idOf, runOf } = await import('../ids.ts');
        const kinds = step === undefined ? (['message', 'run'] as const) : (['run'] as const);
        const id = await idOf(context, target, step === undefined ? ['failed', 'run'] : kinds);
        const run = runOf(context, id, kinds);
        if (run === null && step === undefined)
          return (await import('../control.ts')).control(context, 'retry', id, options);
        return (await import('../actions/retry-step.ts')).retryStep(
          context,
          run ?? context.place().workflows.run(id),
          step,
          options,
        );
      }),
    );
}
