import { MailroomError } from '../kernel/errors.ts';
import { emptyState, type MailState } from '../mail/machine/state.ts';
import { expectedNow } from '../mail/host/project.ts';
import type { Holder, Project } from './project/project.ts';
import type { WorkflowStatus } from './runs/run-status.ts';
import { statusOf, type StatusDocument, type ThreadStatus, type TurnStatus } from './status.ts';
import { progressFile } from './turn-tools.ts';
import type { RoleName } from '../kernel/ids.ts';

/** The status of a project as its files tell it; a protocol that cannot be read is one of the problems. */
export async function readStatus(
  project: Project,
  workflows: { status(holder: Holder | null): Promise<WorkflowStatus> },
  now: number,
): Promise<StatusDocument> {
  const holder = project.holder();
  const state = project.state() ?? emptyState();
  const definition = await project.definition();
  const protocol = definition.ok ? definition.value.protocol : null;
  const { runs, triggers, problems: wrong } = await workflows.status(holder);
  const unread = definition.ok ? [] : [unreadable(definition.problems.length)];
  const problems = [...new Set([...unread, ...(holder?.problems ?? []), ...wrong])];
  const roles = [...(protocol?.roles.keys() ?? project.roles())];
  const dropped = holder === null ? droppedMail(project, state, roles) : new Map<RoleName, number>();
  const recorded =
    holder === null ? roles.reduce((sum, role) => sum + project.names(role, 'outbox').length, 0) : 0;
  const parts = { holder, protocol, hash: project.hash(), dropped, recorded, problems, now };
  const status = statusOf(state, parts);
  const turns = status.turns.map((turn) => ({ ...turn, progress: progressOf(project, turn) }));
  const threads = status.threads.map((thread) => withWorktree(project, thread));
  return { ...status, turns, threads, runs, triggers };
}

/** A thread with the folder of its git worktree, if that is there. */
export function withWorktree({ files }: Project, thread: ThreadStatus): ThreadStatus {
  const path = `.mailroom/worktrees/${thread.id}`;
  return { ...thread, worktree: files.exists(path) ? path : null };
}

function unreadable(count: number): string {
  const what = `${String(count)} problem${count === 1 ? '' : 's'}`;
  return `the protocol cannot be read, and so no roles: it has ${what}; \`mailroom check\` shows what is wrong`;
}

/** Without a controller, what was dropped is not yet mail; it waits all the same. */
function droppedMail(project: Project, state: MailState, roles: readonly RoleName[]): Map<RoleName, number> {
  const expected = expectedNow(state);
  const count = (role: RoleName) =>
    project.names(role, 'inbox').filter((name) => !(expected.get(role)?.has(name) ?? false)).length;
  return new Map(roles.map((role) => [role, count(role)] as const));
}

/** The longest line of an agent's that is shown. */
const longest = 200;

/** An agent says it by a file in its staging folder; whatever lies there instead says nothing. */
function progressOf({ files }: Project, { id, state, attempt }: TurnStatus): string | null {
  if (state !== 'running') return null;
  try {
    const text = files.read(`.mailroom/turns/${id}/${String(attempt)}/outbox/${progressFile}`);
    return text?.trim().replaceAll(/\s+/g, ' ').slice(0, longest) ?? null;
  } catch (error) {
    if (error instanceof MailroomError) return null;
    throw error;
  }
}
