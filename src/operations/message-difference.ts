import { readableDifference } from '../git/run-differences.ts';
import { Refs } from '../git/refs.ts';
import { MailroomError } from '../kernel/errors.ts';
import { endOfId, type MessageId } from '../kernel/ids.ts';
import { emptyState } from '../mail/machine/state.ts';
import { messageNamed } from './show.ts';
import type { Project } from './project/project.ts';
import { trailOf, type MessageDocument } from './messages.ts';

/** What the work of a message changes. */
export interface MessageDifference {
  readonly schema: 1;
  readonly message: MessageId;
  readonly commit: string;
  /**
   * What it is compared with: the commit of the author's message before it in the thread, otherwise
   * the commit that the thread began at.
   */
  readonly base: string;
  /** At most 1 MiB, for people to read; empty: nothing has changed. */
  readonly patch: string;
}

/**
 * What the work of a message changes. Throws `E_TARGET` where the word names no message with work,
 * or git does not have its commits.
 */
export async function messageDifference(project: Project, word: string): Promise<MessageDifference> {
  const state = project.state() ?? emptyState();
  const message = messageNamed(project, state, word);
  const { id, commit } = message;
  if (commit === null)
    throw new MailroomError(
      'E_TARGET',
      `message ${endOfId(id)} carries no commit`,
      'only roles with a checkout of their own send commits: `workspace: { worktree: role }`',
    );
  const base = await baseOf(project, trailOf(project, state, message.thread), message);
  const workspace = project.root;
  const patch = base && (await readableDifference({ workspace, base }, commit, [], []));
  if (base === null || patch === null)
    throw new MailroomError('E_TARGET', `git does not have commit ${commit}, or what it began with`);
  return { schema: 1, message: id, commit, base, patch };
}

async function baseOf(
  project: Project,
  thread: readonly MessageDocument[],
  { id, from, commit }: MessageDocument,
): Promise<string | null> {
  const before = thread.slice(
    0,
    thread.findIndex((each) => each.id === id),
  );
  const last = before.findLast((each) => each.from === from && each.commit !== null)?.commit;
  const refs = new Refs(project.root);
  const begun = last ?? (await refs.find(`refs/mailroom/base/${thread[0]?.thread ?? ''}`));
  // The beginning of a thread whose ref is gone: what the work has in common with the present.
  return begun ?? (commit === null ? null : ((await refs.meeting('HEAD', commit))?.base ?? null));
}
