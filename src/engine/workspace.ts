import { join } from 'node:path';
import type { ThreadId } from '../core/mail/message.ts';
import type { Protocol } from '../core/mail/protocol.ts';

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
