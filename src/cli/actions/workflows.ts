import type { Context } from '../context.ts';
import { since, table } from '../format.ts';
import { json } from '../output.ts';
import { listWorkflows as listed } from '../../operations/workflow-files.ts';
import { shownStatus } from './runs.ts';
import type { WorkflowRow } from '../../operations/documents/workflows.ts';

export async function listWorkflows(context: Context, asJson: boolean): Promise<number> {
  const { terminal } = context;
  const { workflows, root } = context.place();
  const all = await listed(workflows, root);
  if (asJson) terminal.write(json(all));
  else if (all.length === 0) terminal.print('there are no workflows in workflows/\n');
  else {
    const rows = all.map(({ file, name, version, steps, last_run, tags, description }) => [
      file,
      name ?? 'cannot be read: see `mailroom validate`',
      version ?? '',
      steps === null ? '' : String(steps),
      lastRun(last_run, terminal.now()),
      tags.join(', '),
      description ?? '',
    ]);
    const head = ['FILE', 'NAME', 'VERSION', 'STEPS', 'LAST RUN', 'TAGS', 'ABOUT'];
    terminal.print(`${table(head, rows).join('\n')}\n`);
  }
  return 0;
}

function lastRun(run: WorkflowRow['last_run'], now: number): string {
  if (run === null) return '';
  const ago = run.started_at === null ? '' : ` ${since(run.started_at, now)} ago`;
  return `${shownStatus(run)}${ago}`;
}
