import { join } from 'node:path';
import type { Protocol } from '../format/protocol.ts';
import type { ThreadId } from '../../kernel/ids.ts';

/** Where the turns of a thread work, as absolute paths. `worktree`: the git worktree that must exist first. */
export function workspaceOf(
  protocol: Protocol,
  project: string,
  thread: ThreadId,
): { workspace: string; worktree: ThreadId | null } {
  if (protocol.workspace.kind === 'folder')
    return { workspace: join(project, protocol.workspace.path), worktree: null };
  return { workspace: join(project, '.mailroom', 'worktrees', thread), worktree: thread };
}
