import type { Context } from '../context.ts';
import { since, table } from '../format.ts';
import { answer, type AsJson } from '../output.ts';
import { listWorkflows as listed } from '../../workflow/questions/workflow-files.ts';
import { shownStatus } from './runs.ts';
import type { WorkflowRow } from '../../documents/workflows.ts';

export async function listWorkflows(context: Context, options: AsJson): Promise<number> {
  const { terminal } = context;
  const { workflows, root } = context.place();
  const all = await listed(workflows, root);
  return answer(terminal, options, all, () => workflowLines(all, terminal.now()));
}

function workflowLines(all: readonly WorkflowRow[], now: number): string[] {
  if (all.length === 0) return ['there are no workflows in workflows/'];
  const rows = all.map(({ file, name, version, title, steps, last_run, tags, description }) => [
    file,
    name ?? 'cannot be read: see `mailroom validate`',
    version ?? '',
    steps === null ? '' : String(steps),
    lastRun(last_run, now),
    tags.join(', '),
    [...new Set([title, description])].filter((each) => each !== null).join(': '),
  ]);
  return table(['FILE', 'NAME', 'VERSION', 'STEPS', 'LAST RUN', 'TAGS', 'ABOUT'], rows);
}

function lastRun(run: WorkflowRow['last_run'], now: number): string {
  if (run === null) return '';
  const ago = run.started_at === null ? '' : ` ${since(run.started_at, now)} ago`;
  return `${shownStatus(run)}${ago}`;
}
