import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { PlanOptions } from '../actions/plan.ts';

/** `plan`: shows what a run would do and its maximum cost; starts nothing. */
export function addPlan(program: Command, context: Context): void {
  program
    .command('plan')
    .description('show what a run would do and its worst-case cost, without starting it')
    .argument('<workflow>', 'a file, or the id or name of a workflow in workflows/')
    .option('--param <name=value>', 'set a parameter; repeatable', collect)
    .option('--input <name=value>', 'the same as --param, as the language nip calls it', collect)
    .option('--context <name=value>', 'set a value of `context`; repeatable', collect)
    .option('--context-file <file>', 'read values of `context` from a JSON file')
    .option('--overrides <file>', 'apply these changes to a swdl workflow; repeatable', collect)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom plan workflows/ship.yaml --param feature=auth')
    .action(
      context.act(async (workflow: string, options: PlanOptions) =>
        (await import('../actions/plan.ts')).plan(context, workflow, options),
      ),
    );
}
