import type { Context } from '../context.ts';
import { money, moment, short, table } from '../format.ts';
import { json } from '../output.ts';
import { runSummary, type RunSummary } from '../../engine/operations/runs/summary.ts';
import { span } from '../../engine/operations/times.ts';

export async function listRuns(context: Context, asJson: boolean): Promise<number> {
  const { terminal } = context;
  const { workflows } = context.place();
  const all: RunSummary[] = [];
  for (const { run } of workflows.runs()) {
    const stored = workflows.run(run);
    all.push(runSummary(stored.state(), stored.definition, await stored.alive()));
  }
  if (asJson) terminal.write(json(all));
  else if (all.length === 0) terminal.write('there are no runs\n');
  else
    terminal.write(
      `${table(['run', 'workflow', 'status', 'started', 'took', 'cost'], all.map(row)).join('\n')}\n`,
    );
  return 0;
}

function row({ run, workflow, status, alive, started_at, completed_at, cost }: RunSummary): string[] {
  const took =
    started_at === null || completed_at === null
      ? ''
      : span(Date.parse(completed_at) - Date.parse(started_at));
  const shown = status === 'RUNNING' && !alive ? 'stopped' : status;
  return [short(run), workflow, shown, started_at === null ? '' : moment(started_at), took, money(cost)];
}
