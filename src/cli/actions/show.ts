import { endOfId } from '../../kernel/ids.ts';
import { emptyState } from '../../mail/machine/state.ts';
import type { Context } from '../context.ts';
import { idOf } from '../ids.ts';
import { json } from '../output.ts';
import { showRun } from '../run-show.ts';
import { shownLines } from '../show-text.ts';

export async function runShow(context: Context, word: string, asJson: boolean): Promise<number> {
  const id = await idOf(context, word, ['message', 'thread', 'run']);
  if (await showRun(context, id, asJson)) return 0;
  const { show } = await import('../../operations/show.ts');
  const { terminal } = context;
  const project = context.project();
  const { workflows } = project;
  const names = [...(await workflows.names()), ...workflows.runs().map(({ run }) => endOfId(run))];
  const others = { words: ['a run', 'a turn (t1)', 'a workflow'], names };
  const shown = show(project, project.state() ?? emptyState(), id, others);
  const now = terminal.now();
  if (asJson) terminal.write(json(shown));
  else terminal.print(`${shownLines(shown, now, terminal.colours).join('\n')}\n`);
  return 0;
}
