import {
  roleBranch,
  type CheckedWork,
  type Entering,
  type Leaving,
  type TakenWork,
} from '../../../kernel/work.ts';
import type { MessageId, ThreadId } from '../../../kernel/ids.ts';
import type { Sent } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { Delivery, MailState, Turn } from '../state.ts';
import type { Landing } from '../landing.ts';

/** What the checkout of a turn must contain; null: its role has no checkout of its own. */
export function enteringOf(state: MailState, protocol: Protocol, turn: Turn): Entering | null {
  const { workspace } = protocol;
  if (workspace.kind !== 'worktree' || workspace.per !== 'role') return null;
  const takes = turn.entered === null ? [...taken(state, turn), ...toMerge(state, protocol, turn)] : null;
  return {
    ...working(turn),
    edits: commits(protocol, turn),
    takes,
    base: baseOf(state, turn) ?? workspace.base,
    last: lastOf(state, turn),
    resolves: resolves(protocol, turn),
    resolving: turn.conflict?.by ?? null,
  };
}

/** A sub-thread begins at the commit of the request that opened it. */
function baseOf({ threads, mail }: MailState, { thread }: Turn): string | null {
  return threads.get(thread)?.parent == null ? null : (mail.get(thread)?.message.work?.commit ?? null);
}

/** A file without conflict markers is resolved by a command, such as `git add`. */
function resolves(protocol: Protocol, turn: Turn): Entering['resolves'] {
  const { workspace } = protocol;
  const asks = 'onConflict' in workspace && workspace.onConflict === 'user';
  if (asks || !commits(protocol, turn)) return 'none';
  return protocol.roles.get(turn.role)?.capabilities.includes('RUN_COMMANDS') === true ? 'all' : 'text';
}

function lastOf(state: MailState, { thread, role }: Turn): string | null {
  return sentIn(state, thread).findLast(({ from }) => from === role)?.work?.commit ?? null;
}

/** The commits of the messages that a turn picked up, each once, in their order. */
function taken(state: MailState, { messages }: Turn): TakenWork[] {
  return workOf(messages.flatMap((id) => state.mail.get(id)?.message ?? []));
}

/** What a role that may edit merges before the work of its thread can land. */
function toMerge({ threads }: MailState, protocol: Protocol, turn: Turn): TakenWork[] {
  const meets = threads.get(turn.thread)?.meets;
  return meets === undefined || !commits(protocol, turn) ? [] : [meets];
}

/** The commits of messages, each once. */
function workOf(messages: readonly Message[]): TakenWork[] {
  const found = new Map<string, TakenWork>();
  for (const { id, from, work } of messages)
    if (work !== null && !found.has(work.commit))
      found.set(work.commit, { commit: work.commit, message: id, from });
  return [...found.values()];
}

/** The last work of every other role in the thread. */
function othersOf(state: MailState, { thread, role }: Turn): TakenWork[] {
  const last = new Map(sentIn(state, thread).map((message) => [message.from, message]));
  last.delete(role);
  return workOf([...last.values()]);
}

/**
 * The work that messages meet where they go: that which waits there, or is being worked on, also of
 * other sub-threads, and the last of the recipient.
 */
function meeting(state: MailState, protocol: Protocol, turn: Turn, sent: readonly Sent[]): TakenWork[] {
  const { workspace } = protocol;
  if (!('onConflict' in workspace) || workspace.onConflict !== 'author') return [];
  const to = new Set(sent.flatMap(({ message }) => message.to));
  const isThere = (id: MessageId) =>
    [...(state.mail.get(id)?.deliveries ?? [])].some(
      ([role, { at }]) => to.has(role) && (at === 'inbox' || at === 'claimed'),
    );
  const all = sentIn(state, turn.thread).filter(({ from }) => from !== turn.role);
  const last = new Map(all.map((message) => [message.from, message.id]));
  const here = all.filter(({ id, from }) => isThere(id) || (to.has(from) && last.get(from) === id));
  const beside = siblingsOf(state, turn.thread).flatMap((thread) => sentIn(state, thread));
  return workOf([...here, ...beside.filter(({ id }) => isThere(id))]);
}

/** The other sub-threads of the thread that opened this one. */
function siblingsOf({ threads }: MailState, id: ThreadId): ThreadId[] {
  const parent = threads.get(id)?.parent ?? '';
  return (threads.get(parent)?.children ?? []).filter((child) => child !== id);
}

/** The messages of a thread that carry work, in their order. */
function sentIn({ threads, mail }: MailState, thread: ThreadId): Message[] {
  const sent = threads.get(thread)?.messages.flatMap((id) => mail.get(id)?.message ?? []) ?? [];
  return sent.filter(({ work }) => work !== null);
}

/** What the gates of a turn run on; null: its role has no checkout of its own. */
export function checkedOf(state: MailState, turn: Turn, isMerged: boolean): CheckedWork | null {
  if (turn.entered === null) return null;
  return { ...working(turn), entered: turn.entered, others: isMerged ? othersOf(state, turn) : [] };
}

/** Whether a copy is in a turn that waits until a person has resolved a conflict. */
export function waitsForPerson({ turns }: MailState, delivery: Delivery | undefined): boolean {
  return delivery?.at === 'claimed' && turns.get(delivery.turn)?.conflict?.waits === true;
}

/**
 * The commit that a turn with these messages must leave behind; null: it makes none. `others`: work
 * that its gates merge it with.
 */
export function leavingOf(
  state: MailState,
  protocol: Protocol,
  turn: Turn,
  sent: readonly Sent[],
  others: readonly TakenWork[],
): Leaving | null {
  if (turn.entered === null || !commits(protocol, turn)) return null;
  const messages = sent.map(({ message }) => message);
  const title = messages[0]?.subject ?? state.threads.get(turn.thread)?.subject ?? '';
  return {
    ...working(turn),
    title,
    messages: messages.map(({ id }) => id),
    entered: turn.entered,
    takes: [...taken(state, turn), ...toMerge(state, protocol, turn)],
    meets: [...meeting(state, protocol, turn, sent), ...others],
    amends: turn.left,
  };
}

/** The messages of a turn with the commit that they are about, and where that has landed. */
export function withWork(turn: Turn, sent: readonly Sent[], landing: Landing | null = null): readonly Sent[] {
  const commit = turn.left ?? turn.entered;
  if (commit === null) return sent;
  const branch = roleBranch(turn.thread, turn.role);
  return sent.map((one) => {
    const landed = landing?.message === one.message.id ? landedAt(landing) : null;
    return { ...one, message: { ...one.message, work: { commit, branch, landed } } };
  });
}

function landedAt({ phase, lands: { branch } }: Landing) {
  return phase.is === 'landed' ? { branch, commit: phase.result, before: phase.onto } : null;
}

/** A role that must not edit passes on the commit that it read. */
function commits(protocol: Protocol, { role }: Turn): boolean {
  return protocol.roles.get(role)?.capabilities.includes('EDIT') === true;
}

function working({ id, role, thread }: Turn) {
  return { turn: id, role, thread, branch: roleBranch(thread, role) };
}
