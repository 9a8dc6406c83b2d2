import { Argument, type Command } from 'commander';
import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { NipOptions } from '../actions/nip.ts';

/** `nip`: workflows of the language nip by their ids. */
export function addNip(program: Command, context: Context): void {
  program
    .command('nip')
    .description(
      'define a workflow of the language nip, execute one by its id, tell how a run stands, or send events',
    )
    .addArgument(new Argument('<action>', 'what to do').choices(['define', 'execute', 'status', 'send']))
    .argument(
      '[what]',
      'define: a file; execute: the id of a workflow, or of its event; status: a run, or the id of a request; send: nothing',
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
      context.act(async (action: Action, what: string | undefined, options: NipOptions) => {
        if (action !== 'execute') refuseOptions(action, options);
        const actions = await import('../actions/nip.ts');
        if (action !== 'send') return actions[action](context, expectWhat(action, what), options);
        if (what === undefined) return actions.send(context, options);
        throw new MailroomError('E_USAGE', `\`nip send\` takes no \`${what}\``, 'it sends everything');
      }),
    );
}

type Action = 'define' | 'execute' | 'status' | 'send';

function expectWhat(action: Exclude<Action, 'send'>, what: string | undefined): string {
  if (what !== undefined) return what;
  const missing = { define: 'a file', execute: 'the id of a workflow', status: 'a run' }[action];
  throw new MailroomError('E_USAGE', `\`nip ${action}\` needs ${missing}`, `mailroom nip ${action} <what>`);
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
