import { Checkout, pathsOf } from '../../git/checkout.ts';
import { readableDifference } from '../../git/run-differences.ts';
import { Refs } from '../../git/refs.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { endOfId, type MessageId, type ThreadId } from '../../kernel/ids.ts';
import { emptyState, type Turn } from '../machine/state.ts';
import type { Landing } from '../machine/landing.ts';
import { messageNamed } from './show.ts';
import type { Project } from '../../project/project.ts';
import { trailOf } from './messages.ts';
import type { MessageDocument, MessageDifference } from '../../documents/mail.ts';

/**
 * What the work of a message changes, or of a turn that is to land; of a turn that waits for a
 * person, both sides of its conflict. Throws `E_TARGET` where the word names no such work, or git
 * does not have its commits.
 */
export async function messageDifference(project: Project, word: string): Promise<MessageDifference> {
  const state = project.journal.state() ?? emptyState();
  const turn = state.turns.get(word);
  if (turn?.conflict?.waits === true) return conflictDifference(project, turn);
  if (/^t\d+$/.test(word)) {
    const found = await landingDifference(project, state.landings.get(word), word);
    return { ...found, text: bodyOf(turn, found.message) };
  }
  const message = messageNamed(project, state, word);
  const { id, commit } = message;
  if (commit === null)
    throw new MailroomError(
      'E_TARGET',
      `message ${endOfId(id)} carries no commit`,
      'only roles with a checkout of their own send commits: `workspace: { worktree: role }`',
    );
  const base = await baseOf(project, trailOf(project, state, message.thread), message);
  return differenceOf(project, { message: id, commit, base });
}

/** What the agent wrote in a message that is delivered once its work has landed. */
function bodyOf(turn: Turn | undefined, message: MessageId): string | null {
  if (turn?.phase.is !== 'landing') return null;
  const { staged, finalText } = turn.phase.result;
  return [...staged, finalText].find((each) => each?.id === message)?.draft?.body ?? null;
}

/** What the checkout of a role has, against what it is to merge, in the files that conflict. */
async function conflictDifference({ root }: Project, turn: Turn): Promise<MessageDifference> {
  const { thread, role, messages } = turn;
  const laid = `refs/mailroom/conflict/${thread}/${role}`;
  const [ours = null, theirs = null] = await new Refs(root).findAll([`${laid}^1`, `${laid}^2`]);
  const problem = () =>
    new MailroomError('E_TARGET', `git does not have both sides of the conflict of turn ${turn.id}`);
  if (ours === null || theirs === null) throw problem();
  const files = pathsOf(await new Checkout(root).merge(ours, theirs));
  const patch = await readableDifference({ workspace: root, base: ours }, theirs, [], [], files);
  if (patch === null) throw problem();
  return { schema: 1, message: messages[0] ?? '', commit: theirs, base: ours, text: null, patch };
}

/** What landing would bring onto the branch, as the branch is now. */
async function landingDifference(
  project: Project,
  landing: Landing | undefined,
  turn: string,
): Promise<MessageDifference> {
  if (landing === undefined)
    throw new MailroomError(
      'E_TARGET',
      `turn ${turn} has no work that is to land`,
      `show what it sent and changed with \`mailroom show ${turn}\``,
    );
  const { message, commit, lands, thread } = landing;
  const refs = new Refs(project.root);
  const base = await commonBase(refs, `refs/heads/${lands.branch}`, commit);
  // The landing creates a branch that does not exist.
  return differenceOf(project, { message, commit, base: base ?? (await beginningOf(refs, thread, commit)) });
}

async function differenceOf(
  { root }: Project,
  { message, commit, base }: Pick<MessageDifference, 'message' | 'commit'> & { readonly base: string | null },
): Promise<MessageDifference> {
  const patch = base === null ? null : await readableDifference({ workspace: root, base }, commit, [], []);
  if (base === null || patch === null)
    throw new MailroomError('E_TARGET', `git does not have commit ${commit}, or what it began with`);
  return { schema: 1, message, commit, base, text: null, patch };
}

async function baseOf(
  project: Project,
  messages: readonly MessageDocument[],
  { id, from, commit, thread }: MessageDocument,
): Promise<string | null> {
  const before = messages.slice(
    0,
    messages.findIndex((each) => each.id === id),
  );
  const last = before.findLast((each) => each.from === from && each.commit !== null)?.commit;
  return last ?? (commit === null ? null : beginningOf(new Refs(project.root), thread, commit));
}

/** The commit that a thread began at; where its ref is gone, the last one that `HEAD` has, too. */
async function beginningOf(refs: Refs, thread: ThreadId, commit: string): Promise<string | null> {
  return (await refs.find(`refs/mailroom/base/${thread}`)) ?? commonBase(refs, 'HEAD', commit);
}

async function commonBase(refs: Refs, name: string, commit: string): Promise<string | null> {
  return (await refs.meeting(name, commit))?.base ?? null;
}
