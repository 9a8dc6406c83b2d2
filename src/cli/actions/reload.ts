import { ProblemsError } from '../../project/definition/problems.ts';
import type { Workflows } from '../../workflow/runs/workflows.ts';
import { line } from '../format.ts';
import type { Context } from '../context.ts';

/**
 * Confirms the present workflows and descriptions of roles, and prints who changed them. Throws
 * `ProblemsError` if a workflow has problems; then nothing is confirmed.
 */
export async function runReload(context: Context, names: readonly string[]): Promise<number> {
  const { terminal, call } = context;
  context.outsideTurn('reload');
  const { workflows, root } = context.project();
  context.announce();
  const found =
    names.length === 0 ? await everything(workflows, root) : await named(workflows, names, call.cwd);
  const changed = await workflows.confirm(found);
  const lines = changed.map(({ path, change: { what, commands } }) =>
    line(`${path}: confirmed; changed: ${what}${commands === null ? '' : `; to look at it: ${commands}`}`),
  );
  terminal.print(`${lines.length === 0 ? 'nothing has changed' : lines.join('\n')}\n`);
  return 0;
}

async function everything(workflows: Workflows, root: string) {
  const found = [];
  for (const name of workflows.list()) found.push(await readValid(workflows, name, root));
  return [...found, ...workflows.roleTexts()];
}

async function named(workflows: Workflows, names: readonly string[], cwd: string) {
  const found = [];
  for (const name of names)
    found.push(workflows.roleText(name, cwd) ?? (await readValid(workflows, name, cwd)));
  return found;
}

async function readValid(workflows: Workflows, name: string, cwd: string) {
  const found = await workflows.read(name, cwd);
  if (!found.checked.ok) throw new ProblemsError(found.checked.problems);
  return found;
}
