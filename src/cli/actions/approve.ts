import type { InboxItem } from '../../operations/inbox.ts';
import type { Context } from '../context.ts';
import { askRun } from '../run-control.ts';

export interface VerdictOptions {
  readonly comment?: string;
  readonly as?: string;
  readonly json?: boolean;
}

/**
 * Grants or denies a pending approval: the named one, otherwise the only one of the run or of the
 * project.
 */
export async function judge(
  context: Context,
  verb: 'approve' | 'reject',
  run: string | null,
  gate: string | null,
  { comment, as, json }: VerdictOptions,
): Promise<number> {
  const { workflows } = context.place();
  const waiting = gate === null ? await waitingGate(context, run, as ?? null) : null;
  const stored = workflows.run(waiting?.run ?? run ?? '');
  const path = gate ?? waiting?.id.slice(`${waiting.run ?? ''}/`.length) ?? '';
  // If only one role can approve, it is the speaker.
  const [only] = waiting?.to.length === 1 ? waiting.to : [];
  const by = as ?? only;
  return askRun(
    context,
    stored,
    { verb, path, ...(comment === undefined ? {} : { comment }), ...(by === undefined ? {} : { by }) },
    json === undefined ? {} : { json },
  );
}

/**
 * The pending approval when none is named. Throws `E_TARGET` with the list if there is none or more
 * than one.
 */
async function waitingGate(context: Context, word: string | null, as: string | null): Promise<InboxItem> {
  const { approvalsOf, isPerson, isPosition, pickItem, readInbox } =
    await import('../../operations/inbox.ts');
  const project = context.place();
  const { workflows } = project;
  if (word !== null && isPosition(word)) {
    const role = as !== null && (await isPerson(project, as)) ? as : null;
    return pickItem((await readInbox(project, workflows, role)).items, ['approval'], word);
  }
  const run = word === null ? null : workflows.run(word).run;
  const { runs } = await workflows.status(project.holder());
  return pickItem(
    approvalsOf(
      runs.filter((each) => run === null || each.run === run),
      as,
    ),
    ['approval'],
    null,
  );
}
