import { basename, dirname } from 'node:path';
import type { Context } from './context.ts';
import type { FoundWorkflow, ReadOptions } from '../project/definition/contracts.ts';

/**
 * Reads the workflow that a command names, in the project of its run. That is the project of the
 * current folder. Without one, a file named by its path brings its own: the project around it,
 * otherwise the folder above its `workflows/`, otherwise its folder. A language whose runs have
 * their own workspace always uses the folder above `workflows/`. Throws `E_TARGET`.
 */
export async function openWorkflow(
  context: Context,
  reference: string,
  given?: ReadOptions,
): Promise<FoundWorkflow> {
  context.enter(null);
  const file = context.call.workflowFile(reference);
  const isAlone = context.root() === null && context.named() === null;
  if (isAlone && file !== null) context.enter(ownFolder(context, file));
  const found = await read(reference);
  const base =
    found.checked.ok && found.checked.value.ownWorkspace !== null ? folderOfWorkflows(found.file) : null;
  if (base === null || base === context.place().root) return found;
  context.enter(base);
  return read(found.file);

  function read(named: string): Promise<FoundWorkflow> {
    return context.place().workflows.read(named, context.call.cwd, given);
  }
}

function ownFolder({ call }: Context, file: string): string {
  return call.findProject(dirname(file), true) ?? folderOfWorkflows(file) ?? dirname(file);
}

/** The folder above the `workflows/` that a file lies in; null: there is none. */
export function folderOfWorkflows(file: string): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (basename(folder) === 'workflows') return dirname(folder);
  return null;
}
