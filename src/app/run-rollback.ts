import { isAbsolute, join as joinPath, relative } from 'node:path';
import { MailroomError } from '../core/errors.ts';
import type { RunFolder } from '../core/workflow/ports.ts';
import type { Given } from '../core/workflow/event.ts';
import type { Workflow } from '../core/workflow/model.ts';
import { dueRollback, mayRollBack } from '../core/workflow/rollback.ts';
import type { RunHost } from '../engine/runs/run-host.ts';
import type { RunPorts } from '../engine/runs/ports.ts';
import { isOurs } from '../process/folder-changes.ts';
import { rollBack } from '../process/rollback.ts';
import { workspaceTree } from '../process/workspace-tree.ts';
import type { RealDisk } from '../store/real-disk.ts';
import { runFolder } from '../store/runs/layout.ts';

/** What the workspace holds before a run that may undo its changes begins. Throws `E_USAGE` where git cannot tell. */
export async function checkpointOf(
  definition: Workflow,
  workspace: string,
  only: string | null,
): Promise<Pick<Given, 'checkpoint'>> {
  if (!mayRollBack(definition) || only !== null) return {};
  const checkpoint = await workspaceTree(workspace);
  if (checkpoint !== null) return { checkpoint };
  throw new MailroomError(
    'E_USAGE',
    `\`${definition.name}\` rolls back when it fails, and ${workspace} is no git working tree`,
    'make it one by `git init`, or let the failure halt the run',
  );
}

/** Puts the workspace of a run back. What is undone lies in `rolled-back.patch` in the folder of the run. */
export function rollbackPort(
  disk: RealDisk,
  { run, workspace }: RunFolder,
  context: string,
  secrets: readonly string[],
): Pick<RunPorts, 'rollBack'> {
  const own = relative(workspace, context);
  const isContext = (path: string) =>
    own !== '' && !own.startsWith('..') && !isAbsolute(own) && `${path}/`.startsWith(`${own}/`);
  const below = relative(disk.root, workspace);
  const ours = (path: string) => isContext(path) || isOurs(joinPath(below, path));
  const patch = `${runFolder(run)}/rolled-back.patch`;
  const keep = (bytes: Uint8Array) => {
    // A host that died while it undid had all of it; what is left now is a part.
    if (disk.look(patch) === null) disk.write(patch, bytes);
  };
  return { rollBack: (tree) => rollBack({ workspace, tree, ours, secrets, keep }) };
}

/**
 * Whether the run has only to be put back: then nothing else of it goes on. Throws `E_TARGET` for one that was: what its
 * steps had done is not there any more.
 */
export function hasToRollBack({ state, rules }: RunHost): boolean {
  if (state.rollback?.over === true && state.endedAt !== null)
    throw new MailroomError(
      'E_TARGET',
      'this run was rolled back, so nothing is left that it could go on with',
      'start another run; `rolled-back.patch` in its folder has what was undone',
    );
  return dueRollback(state, rules) !== null;
}
