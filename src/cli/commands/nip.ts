import { Argument, type Command } from 'commander';
import { MailroomError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { NipOptions } from '../actions/nip.ts';

/** `nip`: workflows of the language nip by their ids. */
export function addNip(program: Command, context: Context): void {
  program
    .command('nip')
    .description('define a workflow of the language nip, execute one by its id, or tell how a run stands')
    .addArgument(new Argument('<action>', 'what to do').choices(['define', 'execute', 'status']))
    .argument(
      '<what>',
      'define: a file; execute: the id of a workflow, or of its event; status: a run, or the id of a request',
    )
    .option('--input <name=value>', 'of `execute`: an input; again for more', collect)
    .option('--budget <msats=N>', 'of `execute`: what the run may cost at most')
    .option('--timeout <seconds>', 'of `execute`: how long the run may take')
    .option('--async', 'of `execute`: start it in the background, and say which run it is')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n  $ mailroom nip define workflows/measure.json\n  $ mailroom nip execute measure --input text="some words"',
    )
    .action(
      context.act(async (action: 'define' | 'execute' | 'status', what: string, options: NipOptions) => {
        if (action !== 'execute') refuseOptions(action, options);
        const actions = await import('../actions/nip.ts');
        return actions[action](context, what, options);
      }),
    );
}

/** What only a run takes. */
function refuseOptions(action: string, options: NipOptions): void {
  const given = (['input', 'budget', 'timeout', 'async'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (given !== undefined)
    throw new MailroomError(
      'E_USAGE',
      `\`nip ${action}\` takes no \`--${given}\``,
      'it belongs to `nip execute`',
    );
}
