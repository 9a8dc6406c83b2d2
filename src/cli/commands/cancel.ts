import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `cancel`: ends a turn, a thread or a run permanently. */
export function addCancel(program: Command, context: Context): void {
  program
    .command('cancel')
    .description('end a run, a turn or a thread permanently; mail of a turn or thread goes to failed/')
    .argument('<target>', 'a turn (t12), or a run or a thread by its id')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom cancel t12')
    .action(
      context.act(async (target: string, options: { json?: boolean }) => {
        const { idOf, runOf } = await import('../ids.ts');
        const id = await idOf(context, target, ['run', 'thread']);
        const run = runOf(context, id, ['run', 'thread']);
        const waiting = run === null ? context.place().workflows.waiting(id) : null;
        if (waiting !== null)
          return (await import('../run-control.ts')).cancelWaiting(context, waiting, options);
        if (run === null) return (await import('../control.ts')).control(context, 'cancel', id, options);
        return (await import('../run-control.ts')).askRun(
          context,
          run,
          { verb: 'cancel', path: '' },
          options,
        );
      }),
    );
}
