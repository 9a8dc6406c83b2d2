import { join } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import { isQueued, type Queued, type WorkerNeeds } from '../../kernel/launched.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import { roleCheckout, type Entering } from '../../kernel/work.ts';
import type { Protocol, Role } from '../format/protocol.ts';
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
  /** What a worker needs to run it; absent: it runs on the host of the controller. */
  readonly on?: WorkerNeeds;
  /** The job that was recorded for it; absent: none. */
  readonly queued?: Queued;
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
  const on = protocol.roles.get(role)?.on;
  const launched = turn.phase.is === 'active' ? turn.phase.launched : null;
  const remote = { ...(on && { on }), ...(isQueued(launched) && { queued: launched }) };
  return { workspace: own, worktree: null, noteTree, entering, ...remote };
}

/** The ids of the jobs that turns wait for. */
export function queuedJobs({ turns }: MailState): ReadonlySet<string> {
  const launches = [...turns.values()].flatMap(({ phase }) => (phase.is === 'active' ? phase.launched : []));
  return new Set(launches.filter(isQueued).map(({ job }) => job));
}

/** Throws `E_WORKER` for a role to which the files of a step would not travel. */
export function refuseStep({ on }: Role): void {
  if (on === undefined) return;
  const problem = 'a step of a workflow cannot run on a worker: its files would not travel';
  throw new MailroomError('E_WORKER', problem);
}

/** Whether a gate compares the workspace with what it was when the thread began. */
function needsTree({ types }: Protocol): boolean {
  return [...types.values()].some(({ checks }) => checks.some(({ kind }) => kind === 'changed'));
}
