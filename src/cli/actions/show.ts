import { endOfId } from '../../kernel/ids.ts';
import { emptyState } from '../../mail/machine/state.ts';
import type { Context } from '../context.ts';
import { idOf } from '../ids.ts';
import { json } from '../output.ts';
import { momentOf } from '../../operations/moment.ts';
import { showRun } from '../run-show.ts';
import { shownLines } from '../show-text.ts';

export interface ShowOptions {
  readonly at?: string;
  readonly json?: boolean;
}

export async function runShow(context: Context, word: string, options: ShowOptions): Promise<number> {
  const { terminal } = context;
  const asJson = options.json === true;
  const moment = options.at === undefined ? null : momentOf(options.at, terminal.now());
  const id = await idOf(context, word, ['message', 'thread', 'run']);
  if (await showRun(context, id, { asJson, at: moment })) return 0;
  const { show } = await import('../../operations/show.ts');
  const project = context.project();
  const { workflows } = project;
  const names = [...(await workflows.names()), ...workflows.runs().map(({ run }) => endOfId(run))];
  const others = { words: ['a run', 'a turn (t1)', 'a workflow'], names };
  const past = moment === null ? null : project.past(moment);
  const shown = show(project, past?.state ?? project.state() ?? emptyState(), id, others);
  const now = past?.state.now ?? terminal.now();
  if (asJson) terminal.write(json(shown));
  else terminal.print(`${shownLines(shown, now, terminal.colours).join('\n')}\n`);
  return 0;
}
