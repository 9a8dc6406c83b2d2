import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `approve`: opens a gate. */
export function addApprove(program: Command, context: Context): void {
  addVerdict(program, context, 'approve', 'approve a gate of a run, so that what waits for it can run');
}

/** `reject`: closes a gate. */
export function addReject(program: Command, context: Context): void {
  addVerdict(program, context, 'reject', 'close a gate of a run: what waits for it is skipped');
}

interface VerdictOptions {
  readonly comment?: string;
  readonly as?: string;
  readonly json?: boolean;
}

function addVerdict(program: Command, context: Context, verb: 'approve' | 'reject', about: string): void {
  program
    .command(verb)
    .description(about)
    .argument('<run>', 'a run, by its id or the end of it')
    .argument('<gate>', 'the gate, by its step; of a loop: <step>/<index>/<gate>')
    .option('--comment <text>', 'why; kept with the verdict')
    .option('--as <name>', 'who says so (default: $MAILROOM_USER, else the name of the user)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExample:\n  $ mailroom ${verb} 8c1d02 publish-it`)
    .action(
      context.act(async (run: string, gate: string, { comment, as, json }: VerdictOptions) =>
        (await import('../run-control.ts')).askRun(
          context,
          context.place().workflows.run(run),
          {
            verb,
            path: gate,
            ...(comment === undefined ? {} : { comment }),
            ...(as === undefined ? {} : { by: as }),
          },
          json === undefined ? {} : { json },
        ),
      ),
    );
}
