import { Argument, type Command } from 'commander';
import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import type { NipOptions } from '../actions/nip.ts';

/** `nip`: manages workflows of the language nip by their ids. */
export function addNip(program: Command, context: Context): void {
  program
    .command('nip')
    .description('define or execute a nip workflow, show the status of a run, or send events')
    .addArgument(new Argument('<action>', 'what to do').choices(['define', 'execute', 'status', 'send']))
    .argument(
      '[what]',
      'define: a file; execute: the id of a workflow or of its event; status: a run, or the id of a request; send: nothing',
    )
    .option('--input <name=value>', 'execute: set an input; repeatable', collect)
    .option('--budget <msats=N>', 'execute: stop the run at this cost')
    .option('--timeout <seconds>', 'execute: stop the run after this time')
    .option('--async', 'execute: run in the background and print the id of the run')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ mailroom nip define workflows/measure.json\n  $ mailroom nip execute measure --input text="some words"',
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

/** Rejects options that only a run accepts. */
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
