import { join } from 'node:path';
import type { ThreadId } from '../../kernel/ids.ts';
import { roleCheckout, type Entering } from '../../kernel/work.ts';
import type { Protocol } from '../format/protocol.ts';
import { enteringOf } from '../machine/rules/work.ts';
import type { MailState, Turn } from '../machine/state.ts';

const checkouts = '.mailroom/worktrees';

/** Where a turn works. */
interface TurnPlace {
  /** Absolute. */
  readonly workspace: string;
  /** The thread whose git worktree must exist first; null: none. */
  readonly worktree: ThreadId | null;
  /** Whether to record the git tree there first. */
  readonly noteTree: boolean;
  /** What its role's own checkout must contain first; absent: its role has none. */
  readonly entering?: Entering;
}

/** Where a turn works, and what must be there before its agent starts. `project`: absolute. */
export function placeOf(state: MailState, protocol: Protocol, project: string, turn: Turn): TurnPlace {
  const { workspace } = protocol;
  const { thread, role } = turn;
  const noteTree = state.threads.get(thread)?.tree === null && needsTree(protocol);
  if (workspace.kind === 'folder')
    return { workspace: join(project, workspace.path), worktree: null, noteTree };
  const entering = enteringOf(state, protocol, turn);
  if (entering === null) return { workspace: join(project, checkouts, thread), worktree: thread, noteTree };
  const own = join(project, checkouts, roleCheckout(thread, role));
  return { workspace: own, worktree: null, noteTree, entering };
}

/** Whether a gate compares the workspace with what it was when the thread began. */
function needsTree({ types }: Protocol): boolean {
  return [...types.values()].some(({ checks }) => checks.some(({ kind }) => kind === 'changed'));
}
