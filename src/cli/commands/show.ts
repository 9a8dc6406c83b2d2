import type { Command } from 'commander';
import { emptyState } from '../../core/mail/state.ts';
import type { Context } from '../context.ts';
import { json } from '../output.ts';
import { showRun } from '../run-show.ts';
import { shownLines } from '../show-text.ts';

/** `show`: everything about one message, turn, thread, run or workflow. */
export function addShow(program: Command, context: Context): void {
  program
    .command('show')
    .description(
      'show a message, turn, thread or run: where it is, what it cost, why it failed; or a workflow',
    )
    .argument(
      '<id>',
      'the id of a message, thread or run, or an end of it; a turn (t12); a file of a workflow',
    )
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom show 4f2a9c')
    .action(
      context.act((id: string, options: { json?: boolean }) => runShow(context, id, options.json === true)),
    );
}

async function runShow(context: Context, word: string, asJson: boolean): Promise<number> {
  if (await showRun(context, word, asJson)) return 0;
  const { show } = await import('../../engine/operations/show.ts');
  const { terminal } = context;
  const project = context.project();
  const shown = show(project, project.state() ?? emptyState(), word);
  const now = terminal.now();
  terminal.write(asJson ? json(shown) : `${shownLines(shown, now, terminal.colours).join('\n')}\n`);
  return 0;
}
