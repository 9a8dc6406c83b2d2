import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { PlanOptions } from '../actions/plan.ts';

/** `plan`: what a run would do, and at most cost; starts nothing. */
export function addPlan(program: Command, context: Context): void {
  program
    .command('plan')
    .description('say what a run would do and what it may cost at most; nothing is started')
    .argument('<workflow>', 'a file, or the id or name of a workflow in workflows/')
    .option('--param <name=value>', 'a parameter; again for more', collect)
    .option('--input <name=value>', 'the same, as the language nip calls it', collect)
    .option('--context <name=value>', 'a value of `context`; again for more', collect)
    .option('--context-file <file>', 'values of `context`, as JSON')
    .option('--overrides <file>', 'changes to a workflow of the language swdl; again for more', collect)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom plan workflows/ship.yaml --param feature=auth')
    .action(
      context.act(async (workflow: string, options: PlanOptions) =>
        (await import('../actions/plan.ts')).plan(context, workflow, options),
      ),
    );
}
