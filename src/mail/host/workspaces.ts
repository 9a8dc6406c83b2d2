import { join } from 'node:path';
import { isQueued, type Assigned, type Queued, type WorkerNeeds } from '../../kernel/launched.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import { roleCheckout, type Entering } from '../../kernel/work.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import type { AgentJob } from '../../host/runner/runner.ts';
import type { Message } from '../format/message.ts';
import type { Protocol } from '../format/protocol.ts';
import { enteringOf } from '../machine/rules/work.ts';
import type { MailState, Turn } from '../machine/state.ts';
import { owedSteps } from '../machine/step.ts';

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
  /** The worker that was recorded for that job; null: none. */
  readonly assigned?: Assigned | null;
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
  const { launched, worker } = turn.phase.is === 'active' ? turn.phase : idle;
  const remote = { ...(on && { on }), ...(isQueued(launched) && { queued: launched, assigned: worker }) };
  return { workspace: own, worktree: null, noteTree, entering, ...remote };
}

const idle = { launched: null, worker: null } as const;

/** The ids of the jobs that turns wait for. */
export function queuedJobs({ turns }: MailState): ReadonlySet<string> {
  const launches = [...turns.values()].flatMap(({ phase }) => (phase.is === 'active' ? phase.launched : []));
  return new Set(launches.filter(isQueued).map(({ job }) => job));
}

/** What travels with a turn of a worker that owes steps of workflows, besides its checkout. */
export function stepFiles(steps: readonly Pick<Message, 'fields'>[]): Pick<AgentJob, 'files'> {
  const found = steps.flatMap(({ fields: { workspace, inputs, outputs, values } }) => {
    if (typeof workspace !== 'string') return [];
    const brings = pathsIn(outputs).map((path) => join(workspace, path));
    const masked = typeof values === 'string' ? [values] : [];
    return [{ base: workspace, carries: pathsIn(inputs), brings: [...brings, ...masked], values: masked }];
  });
  const [first] = found;
  if (first === undefined) return {};
  const all = (of: 'carries' | 'brings' | 'values') => found.flatMap((each) => each[of]);
  return {
    files: { base: first.base, carries: all('carries'), brings: all('brings'), values: all('values') },
  };
}

function pathsIn(list: Json | undefined): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each) =>
    isJsonObject(each) && typeof each['path'] === 'string' ? [each['path']] : [],
  );
}

/** Whether a gate compares the workspace with what it was when the thread began. */
function needsTree({ types }: Protocol): boolean {
  return [...types.values()].some(({ checks }) => checks.some(({ kind }) => kind === 'changed'));
}

/** The variables with the path of the step's values file. */
export function stepVariables(state: MailState, turn: Pick<Turn, 'id'>): Record<string, string> {
  const values = owedSteps(state, turn.id)[0]?.fields['values'];
  return typeof values === 'string' ? { MAILROOM_VALUES: values } : {};
}
