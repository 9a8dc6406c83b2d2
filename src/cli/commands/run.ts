import type { Command } from 'commander';
import { MailroomError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import { startRun, type StartOptions } from '../run-start.ts';

/** `run`: starts a workflow and follows it to its end. */
export function addRun(program: Command, context: Context): void {
  program
    .command('run')
    .description('run a workflow to its end')
    .argument('<workflow>', 'a file, or the id or name of a workflow in workflows/')
    .option('--param <name=value>', 'a parameter; again for more', collect, [])
    .option('--workspace <dir>', 'where its steps work; default: the project')
    .option('--context <name=value>', 'a value of `context`; again for more', collect, [])
    .option('--context-file <file>', 'values of `context`, as JSON')
    .option('--budget <usd=N,tokens=N>', 'what the run may cost at most')
    .option('--max-usd <n>', 'do not even start when the worst case costs more')
    .option('--plain', 'one line per event, also on a terminal')
    .option('--json', 'print one JSON document at the end')
    .addHelpText('after', '\nExample:\n  $ mailroom run workflows/ship.yaml --param feature=auth')
    .action(context.act((workflow: string, options: StartOptions) => startRun(context, workflow, options)));
}

function collect(value: string, before: readonly string[]): string[] {
  if (!value.includes('=')) throw new MailroomError('E_USAGE', `\`${value}\` must be name=value`);
  return [...before, value];
}
