import { called } from '../../kernel/called.ts';
import { errorCodes } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { paintDiagnostics } from '../failures.ts';
import { line, money, moment, printable, short, table } from '../format.ts';
import { json, type AsJson } from '../output.ts';
import { errorText } from '../../project/definition/problems.ts';
import { readRuns } from '../../workflow/runs/reading.ts';
import { span } from '../../kernel/times.ts';
import type { RunSummary } from '../../documents/runs.ts';

/** An unreadable run does not hide the others: its error follows the list. */
export async function listRuns(context: Context, { json: asJson = false }: AsJson): Promise<number> {
  const { terminal } = context;
  const { workflows } = context.place();
  const { runs: all, unreadable: broken } = await readRuns(workflows);
  const unreadable = broken[0] ?? null;
  if (asJson) terminal.write(json(all));
  else if (all.length === 0 && unreadable === null) terminal.print('there are no runs\n');
  else
    terminal.print(
      `${table(['RUN', 'WORKFLOW', 'STATUS', 'STARTED', 'TOOK', 'COST'], all.map(row)).join('\n')}\n`,
    );
  if (unreadable === null) return 0;
  // Not on standard output, which with --json already contains one document.
  terminal.complain(`${paintDiagnostics(printable(errorText(unreadable)), terminal.errorColours)}\n`);
  return errorCodes[unreadable.code];
}

function row({ run, workflow, title, status, standing, ...rest }: RunSummary): string[] {
  const { started_at, completed_at, cost } = rest;
  const took =
    started_at === null || completed_at === null
      ? ''
      : span(Date.parse(completed_at) - Date.parse(started_at));
  return [
    short(run),
    line(called(workflow, title)),
    shownStatus({ status, standing }),
    started_at === null ? '' : moment(started_at),
    took,
    money(cost),
  ];
}

/** The status of a run for people: one that does not work says what it waits for. */
export function shownStatus({ status, standing }: Pick<RunSummary, 'status' | 'standing'>): string {
  return status === 'RUNNING' && standing.is !== 'working' ? standing.word : status;
}
