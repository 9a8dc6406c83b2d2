import { basename, dirname } from 'node:path';
import type { Context } from './context.ts';
import type { FoundWorkflow, ReadOptions } from '../operations/runs/services.ts';

/**
 * Reads the workflow that a command names, in the project that its run belongs to. That is the project that the command is
 * called in. Where there is none, a file that is named by its path brings its own: the project around it, else the folder
 * above its `workflows/`, else its folder. A language whose runs have a place of their own always brings the folder
 * above `workflows/`. Throws `E_TARGET`.
 */
export async function openWorkflow(
  context: Context,
  reference: string,
  given?: ReadOptions,
): Promise<FoundWorkflow> {
  context.enter(null);
  const file = context.services.workflowFile(reference);
  const isAlone = context.root() === null && context.named() === null;
  if (isAlone && file !== null) context.enter(ownFolder(context, file));
  const found = await read(reference);
  const base =
    found.checked.ok && found.checked.value.ownWorkspace !== null ? folderOfWorkflows(found.file) : null;
  if (base === null || base === context.place().root) return found;
  context.enter(base);
  return read(found.file);

  function read(named: string): Promise<FoundWorkflow> {
    return context.place().workflows.read(named, context.services.cwd, given);
  }
}

function ownFolder({ services }: Context, file: string): string {
  return services.findProject(dirname(file), true) ?? folderOfWorkflows(file) ?? dirname(file);
}

/** The folder above the `workflows/` that a file lies in; null: it lies in none. */
export function folderOfWorkflows(file: string): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (basename(folder) === 'workflows') return dirname(folder);
  return null;
}
