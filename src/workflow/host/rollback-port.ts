import { MailroomError } from '../../kernel/errors.ts';
import type { RunStart } from '../machine/event.ts';
import type { Workflow } from '../model.ts';
import { dueRollback, mayRollBack } from '../machine/rollback.ts';
import type { RunHost } from './run-host.ts';
import { ownFiles } from './changes.ts';
import type { RunPorts } from './ports.ts';
import { rollBack } from '../../git/rollback.ts';
import { workspaceTree } from '../../git/workspace-tree.ts';
import type { Disk } from '../../disk/disk.ts';
import { runFolder } from '../../host/run-mail.ts';
import type { RunFolder } from '../machine/run-folder.ts';

/** Records the workspace before a run that may roll back. Throws `E_USAGE` where git cannot. */
export async function checkpointOf(
  definition: Workflow,
  workspace: string,
  only: string | null,
): Promise<RunStart['checkpoint']> {
  if (!mayRollBack(definition) || only !== null) return null;
  const checkpoint = await workspaceTree(workspace);
  if (checkpoint !== null) return checkpoint;
  throw new MailroomError(
    'E_USAGE',
    `\`${definition.name}\` rolls back when it fails, and ${workspace} is not a git working tree`,
    'make it one by `git init`, or let the failure halt the run',
  );
}

/**
 * Restores the workspace of a run. The undone changes are kept in `rolled-back.patch` in the run's
 * folder.
 */
export function rollbackPort(
  disk: Disk,
  { run, workspace }: RunFolder,
  context: string,
  secrets: readonly string[],
): Pick<RunPorts, 'rollBack'> {
  const ours = ownFiles(disk.root, context)(workspace, []);
  const keep = keeper(disk, runFolder(run));
  return { rollBack: (tree) => rollBack({ workspace, tree, ours, secrets, keep }) };
}

/**
 * Keeps the patches of a rollback, durably. After a crash the next patch is kept in addition if it
 * has more: a person has worked in the workspace meanwhile.
 */
export function keeper(disk: Disk, folder: string): (patch: Uint8Array) => void {
  return (patch) => {
    for (let count = 1; ; count += 1) {
      const path = `${folder}/rolled-back${count === 1 ? '' : `-${String(count)}`}.patch`;
      const size = disk.look(path)?.size;
      if (size === undefined) return disk.write(path, patch, { sync: true });
      const kept = new Set(differences(disk.read(path, size) ?? Buffer.alloc(0)));
      if (differences(patch).every((each) => kept.has(each))) return;
    }
  };
}

/** The part of a patch for each file. */
function differences(patch: Uint8Array): string[] {
  return Buffer.from(patch)
    .toString('latin1')
    .split(/^(?=diff --git )/m);
}

/**
 * Whether the run cannot continue because it was rolled back: only the rest of that, and of its
 * end, is done. Throws `E_TARGET` when nothing remains.
 */
export function endsRolledBack(host: RunHost): boolean {
  const { state, rules } = host;
  const wasPutBack = state.rollback !== null && state.endedAt !== null;
  if (!wasPutBack && dueRollback(state, rules) === null) return false;
  if (host.finish()) return true;
  throw new MailroomError(
    'E_TARGET',
    'this run was rolled back and cannot be resumed',
    'start another run; `rolled-back.patch` in its folder has what was undone',
  );
}
