import type { Context } from '../context.ts';
import { line, table } from '../format.ts';
import { json } from '../output.ts';

export async function listWorkflows(context: Context, asJson: boolean): Promise<number> {
  const { terminal } = context;
  const { workflows, root } = context.place();
  const all = [];
  for (const file of workflows.list()) {
    const { checked } = await workflows.read(file, root);
    const { name = null, language = null, description = null, body } = checked.ok ? checked.value : {};
    all.push({ file, ok: checked.ok, name, language, description, steps: body?.steps.length ?? null });
  }
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
