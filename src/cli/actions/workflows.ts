import type { Context } from '../context.ts';
import { line, table } from '../format.ts';
import { json } from '../output.ts';
import { listWorkflows as listed } from '../../operations/workflow-files.ts';

export async function listWorkflows(context: Context, asJson: boolean): Promise<number> {
  const { terminal } = context;
  const { workflows, root } = context.place();
  const all = await listed(workflows, root);
  if (asJson) terminal.write(json(all));
  else if (all.length === 0) terminal.print('there are no workflows in workflows/\n');
  else {
    const rows = all.map(({ file, name, steps, description }) =>
      [
        file,
        name ?? 'cannot be read: see `mailroom validate`',
        steps === null ? '' : String(steps),
        description ?? '',
      ].map(line),
    );
    terminal.print(`${table(['FILE', 'NAME', 'STEPS', 'ABOUT'], rows).join('\n')}\n`);
  }
  return 0;
}
