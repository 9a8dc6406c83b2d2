import type { Command } from 'commander';
import { emptyState } from '../../core/mail/state.ts';
import type { Context } from '../context.ts';
import { json } from '../output.ts';
import { shownLines } from '../show-text.ts';

/** `show`: everything about one message, turn or thread. */
export function addShow(program: Command, context: Context): void {
  program
    .command('show')
    .description('show a message, a turn or a thread: where it is, what it cost, why it failed')
    .argument('<id>', 'the id of a message or thread, or the beginning or end of it; or a turn (t12)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom show 4f2a9c')
    .action(
      context.act((id: string, options: { json?: boolean }) => runShow(context, id, options.json === true)),
    );
}

async function runShow(context: Context, word: string, asJson: boolean): Promise<number> {
  const { show } = await import('../../engine/operations/show.ts');
  const { terminal } = context;
  const project = context.project();
  const shown = show(project, project.state() ?? emptyState(), word);
  const now = terminal.now();
  terminal.write(asJson ? json(shown) : `${shownLines(shown, now, terminal.colours).join('\n')}\n`);
  return 0;
}
