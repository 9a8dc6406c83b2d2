import { ProblemsError } from '../../operations/problems.ts';
import type { Context } from '../context.ts';

/**
 * Confirms the present definitions of workflows. Throws `ProblemsError` if one has problems; then
 * none is confirmed.
 */
export async function runReload(context: Context, names: readonly string[]): Promise<number> {
  const { terminal, services } = context;
  context.outsideTurn('reload');
  const { workflows, root } = context.project();
  context.announce();
  const found = [];
  for (const name of names.length > 0 ? names : workflows.list())
    found.push(await workflows.read(name, names.length > 0 ? services.cwd : root));
  for (const { checked } of found) if (!checked.ok) throw new ProblemsError(checked.problems);
  const changed = workflows.confirm(found);
  const lines = changed.map((path) => `${path}: confirmed`);
  terminal.print(`${lines.length === 0 ? 'no workflow has changed' : lines.join('\n')}\n`);
  return 0;
}
