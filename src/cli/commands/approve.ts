import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { VerdictOptions } from '../actions/approve.ts';

/** `approve`: grants a pending approval. */
export function addApprove(program: Command, context: Context): void {
  addVerdict(program, context, 'approve', 'approve a gate so that dependent steps can run').option(
    '--choice <choice>',
    'what to choose, where the gate has other choices (default: approve)',
  );
}

/** `reject`: denies a pending approval. */
export function addReject(program: Command, context: Context): void {
  addVerdict(program, context, 'reject', 'reject a gate: dependent steps are skipped');
}

function addVerdict(program: Command, context: Context, verb: 'approve' | 'reject', about: string): Command {
  return program
    .command(verb)
    .description(about)
    .argument(
      '[run]',
      'a run: its id, the beginning or end of it, @1 of `inbox`, or a turn that waits for a yes, to land its work or to use a tool (default: the only one that waits)',
    )
    .argument(
      '[gate]',
      'the step of the gate; in a loop, <step>/<index>/<gate> (default: the only gate of the run)',
    )
    .option('-m, --comment <text>', 'the reason; stored with the answer')
    .option('--changes <digest>', 'the changes of a turn that you have seen; refused if others wait now')
    .option('--field <name=value>', 'a field that the gate asks for; repeatable', collect)
    .option('--as <name>', 'the name of the approver (default: $MAILROOM_USER, else the user name)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExample:\n  $ mailroom ${verb} 8c1d02 publish-it`)
    .action(
      context.act(async (run: string | undefined, gate: string | undefined, options: VerdictOptions) =>
        (await import('../actions/approve.ts')).judge(context, verb, run ?? null, gate ?? null, options),
      ),
    );
}
