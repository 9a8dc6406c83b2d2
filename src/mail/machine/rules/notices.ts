import { counted } from '../../../kernel/enumerate.ts';
import { firstLineThenFence } from '../../../kernel/quoting.ts';
import type { Fact, Notice } from '../event.ts';
import type { MailState, Turn } from '../state.ts';
import { endOfId, type MessageId, type RoleName, type ThreadId } from '../../../kernel/ids.ts';
import type { TurnId } from '../../../letters/target.ts';
import type { Reason } from '../../../kernel/errors.ts';
import { roleCheckout } from '../../../kernel/work.ts';

/** A notice to the project's person. */
export function noticeToUser(thread: ThreadId | null, subject: string, lines: readonly string[]): Notice {
  return { to: 'user', thread, inReplyTo: null, subject, body: lines.join('\n') };
}

/** Each message with the command that puts it back. */
function named(state: MailState, ids: readonly MessageId[]): string[] {
  return ids.map((id) => {
    const subject = state.mail.get(id)?.message.subject ?? '(its text is in failed/)';
    return `- \`mailroom retry ${endOfId(id)}\`: ${subject}`;
  });
}

export function failThreadFact(state: MailState, thread: ThreadId, ended: Reason, wrong = ''): Fact {
  const cause = isUsedUp(ended) ? (firstFailure(state, thread) ?? (wrong === '' ? null : wrong)) : null;
  const reason = cause === null ? ended : { ...ended, text: `${ended.text}; what failed first: ${cause}` };
  const subject = state.threads.get(thread)?.subject ?? thread;
  const waiting = (state.threads.get(thread)?.messages ?? []).filter((id) =>
    [...(state.mail.get(id)?.deliveries.values() ?? [])].some(({ at }) => at === 'inbox' || at === 'claimed'),
  );
  const notice = noticeToUser(thread, `Thread failed: ${subject}`, [
    firstLineThenFence(`${reason.code}: ${reason.text}`),
    '',
    'What waited in it is in `failed/`, each with the reason beside it.',
    ...named(state, waiting),
    '',
    `${raiseFirst(reason)}\`mailroom retry\` puts a message back and opens the thread again.`,
  ]);
  return { type: 'thread-failed', thread, reason, notices: [notice] };
}

function isUsedUp({ code }: Reason): boolean {
  return code === 'E_BUDGET' || code === 'E_TURNS';
}

/** With a limit that is used up, what is tried again fails again. */
function raiseFirst({ code }: Reason): string {
  if (code === 'E_TURNS') return 'Raise `limits.turns_per_thread` first. ';
  return code === 'E_BUDGET' ? 'Raise the budget first: `limits.budget`, or that of the role. ' : '';
}

/**
 * What went wrong first in a thread, and is not yet repaired: used-up money or turns are often only
 * what follows. Null: nothing did.
 */
function firstFailure(state: MailState, thread: ThreadId): string | null {
  for (const id of state.threads.get(thread)?.messages ?? [])
    for (const delivery of state.mail.get(id)?.deliveries.values() ?? [])
      if (delivery.at === 'failed' && !isUsedUp(delivery.reason)) return delivery.reason.text;
  for (const turn of state.turns.values())
    if (turn.thread === thread && turn.lastFailure !== null) return turn.lastFailure.text;
  return null;
}

/** The attempts of a turn, and the corrections within the last one. */
function effort({ attempt, round }: Turn): string {
  const attempts = counted(attempt, 'attempt');
  return round === 0 ? attempts : `${attempts} and ${counted(round, 'correction')}`;
}

/** `by`: who resolves the conflict; a person is notified, and the turn waits. */
export function conflictedFact(
  state: MailState,
  { id, role, thread, messages }: Turn,
  reason: Reason,
  by: 'role' | 'person',
): Fact {
  const notice = noticeToUser(thread, `Conflict: ${state.threads.get(thread)?.subject ?? thread}`, [
    firstLineThenFence(`${reason.code}: ${reason.text}`),
    '',
    `Turn ${id} of ${role} waits. Both sides are in \`.mailroom/worktrees/${roleCheckout(thread, role)}\`.`,
    'Edit these files there so that they keep what both sides meant, and remove the conflict markers.',
    'Stage a file without markers with `git add`. You need not commit. Then start the turn:',
    ...named(state, messages.slice(0, 1)),
  ]);
  return { type: 'conflicted', turn: id, by, notices: by === 'person' ? [notice] : [] };
}

/** The subject of the notice that a turn failed. */
export function failedTitle(turn: TurnId, role: RoleName): string {
  return `Turn ${turn} of ${role} failed`;
}

export function abandonFact(state: MailState, turn: Turn, reason: Reason): Fact {
  const notice = noticeToUser(turn.thread, failedTitle(turn.id, turn.role), [
    firstLineThenFence(`${reason.code}: ${reason.text}`),
    '',
    `The turn ended after ${effort(turn)}. Its messages are in agents/${turn.role}/failed/:`,
    ...named(state, turn.messages),
    '',
    `${raiseFirst(reason)}\`mailroom retry\` puts a message back.`,
  ]);
  return { type: 'abandoned', turn: turn.id, reason, notices: [notice] };
}
