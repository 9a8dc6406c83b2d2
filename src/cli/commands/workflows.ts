import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { table } from '../format.ts';
import { json } from '../output.ts';

/** `workflows`: the definitions of the project. */
export function addWorkflows(program: Command, context: Context): void {
  program
    .command('workflows')
    .description('list the workflows in workflows/')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom workflows --json')
    .action(context.act((options: { json?: boolean }) => listWorkflows(context, options.json === true)));
}

async function listWorkflows(context: Context, asJson: boolean): Promise<number> {
  const { terminal } = context;
  const { workflows, root } = context.place();
  const all = [];
  for (const file of workflows.list()) {
    const { checked } = await workflows.read(file, root);
    const { name = null, language = null, description = null, body } = checked.ok ? checked.value : {};
    all.push({ file, ok: checked.ok, name, language, description, steps: body?.steps.length ?? null });
  }
  if (asJson) terminal.write(json(all));
  else if (all.length === 0) terminal.write('there are no workflows in workflows/\n');
  else {
    const rows = all.map(({ file, name, steps, description }) => [
      file,
      name ?? 'cannot be read: see `mailroom validate`',
      steps === null ? '' : String(steps),
      description ?? '',
    ]);
    terminal.write(`${table(['file', 'name', 'steps', 'about'], rows).join('\n')}\n`);
  }
  return 0;
}
