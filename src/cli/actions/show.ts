import metadata from '../../../package.json' with { type: 'json' };
import { MailroomError } from '../../kernel/errors.ts';
import { endOfId } from '../../kernel/ids.ts';
import { resolveThread } from '../../mail/questions/directory.ts';
import type { Context } from '../context.ts';
import { idOf, runOf } from '../ids.ts';
import { printable } from '../format.ts';
import { answer, json, type AsJson } from '../output.ts';
import { momentOf } from '../../mail/questions/moment.ts';
import { showRun } from '../run-show.ts';
import { shownLines } from '../show-text.ts';

interface ShowOptions {
  readonly all?: boolean;
  readonly at?: string;
  readonly diff?: boolean;
  readonly html?: boolean;
  readonly json?: boolean;
}

export async function runShow(context: Context, word: string, options: ShowOptions): Promise<number> {
  const { terminal } = context;
  const moment = options.at === undefined ? null : momentOf(options.at, terminal.now());
  const id = await idOf(context, word, ['message', 'thread', 'run']);
  if (options.all === true && options.html !== true)
    throw new MailroomError('E_USAGE', '`--all` is for `--html`: it keeps whole logs');
  if (options.html === true) return showPage(context, id, options);
  if (options.diff === true) return showDifference(context, id, options);
  if (await showRun(context, id, { ...options, at: moment })) return 0;
  const { show } = await import('../../mail/questions/show.ts');
  const project = context.project();
  const { workflows } = project;
  const names = [...(await workflows.names()), ...workflows.runs().map(({ run }) => endOfId(run))];
  const others = { words: ['a run', 'a turn (t1)', 'a workflow'], names };
  const past = moment === null ? null : project.journal.past(moment);
  const shown = show(project, past?.state ?? project.journal.state(), id, others, past?.state.now);
  const now = past?.state.now ?? terminal.now();
  return answer(terminal, options, shown, () => shownLines(shown, now, terminal.colours));
}

/** Prints what the work of a message changes, as a patch. */
async function showDifference(context: Context, word: string, options: AsJson): Promise<number> {
  const { messageDifference } = await import('../../mail/questions/message-difference.ts');
  const found = await messageDifference(context.project(), word);
  if (options.json === true) context.terminal.write(json(found));
  else context.terminal.print(printable(found.patch));
  return 0;
}

/** Prints the page of a run or a thread. */
async function showPage(context: Context, word: string, options: ShowOptions): Promise<number> {
  if (options.json === true || options.at !== undefined)
    throw new MailroomError('E_USAGE', '`--html` cannot be combined with `--json` or `--at`');
  const { terminal } = context;
  const all = options.all === true;
  const run = runOf(context, word, ['message', 'thread', 'run']);
  const project = context.project();
  const subject =
    run === null
      ? { kind: 'thread' as const, id: resolveThread(project, project.journal.state(), word), all }
      : { kind: 'run' as const, id: run.run, all };
  const { savedPage } = await import('../../server/http/saved-page.ts');
  const desk = { project, api: await project.closedApi(), version: metadata.version, now: terminal.now };
  terminal.write(await savedPage(desk, subject));
  return 0;
}
