import type { WaitingItem } from '../../operations/inbox.ts';
import { isPosition } from '../../operations/positions.ts';
import { choose } from '../asking.ts';
import { mayAsk, pickWaiting } from '../answering.ts';
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
  options: VerdictOptions,
): Promise<number> {
  const { comment, json } = options;
  const { workflows } = context.place();
  const waiting = gate === null ? await waitingGate(context, run, options) : null;
  const stored = workflows.run(waiting?.run ?? run ?? '');
  const path = gate ?? waiting?.id.slice(`${waiting.run ?? ''}/`.length) ?? '';
  const by = options.as ?? (await approverOf(context, waiting, options));
  return askRun(
    context,
    stored,
    { verb, path, ...(comment === undefined ? {} : { comment }), ...(by === undefined ? {} : { by }) },
    json === undefined ? {} : { json },
  );
}

/** The only role that can approve; of several, the one that a person chooses. */
async function approverOf(
  context: Context,
  waiting: WaitingItem | null,
  options: VerdictOptions,
): Promise<string | undefined> {
  const approvers = waiting?.to ?? [];
  if (approvers.length < 2 || !mayAsk(context, options))
    return approvers.length === 1 ? approvers[0] : undefined;
  const choices = approvers.map((name) => ({ value: name, label: name }));
  return choose('Who approves?', choices, 'nothing was recorded');
}

/**
 * The pending approval when none is named. Throws `E_TARGET` with the list if there is none or more
 * than one.
 */
async function waitingGate(
  context: Context,
  word: string | null,
  options: VerdictOptions,
): Promise<WaitingItem> {
  const { approvalsOf, isPerson, readInbox } = await import('../../operations/inbox.ts');
  const project = context.place();
  const { workflows } = project;
  const as = options.as ?? null;
  if (word !== null && isPosition(word)) {
    const role = as !== null && (await isPerson(project, as)) ? as : null;
    const { items } = await readInbox(project, workflows, role);
    return pickWaiting(context, items, ['approval'], word, options);
  }
  const run = word === null ? null : workflows.run(word).run;
  const { runs } = await workflows.status(project.holder());
  const gates = approvalsOf(
    runs.filter((each) => run === null || each.run === run),
    as,
  );
  return pickWaiting(context, gates, ['approval'], null, options);
}
