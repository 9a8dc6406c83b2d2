import { roleBranch, type Entering, type Leaving, type TakenWork } from '../../../kernel/work.ts';
import type { Sent } from '../event.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { Delivery, MailState, Turn } from '../state.ts';

/** What the checkout of a turn must contain; null: its role has no checkout of its own. */
export function enteringOf(state: MailState, protocol: Protocol, turn: Turn): Entering | null {
  const { workspace } = protocol;
  if (workspace.kind !== 'worktree' || workspace.per !== 'role') return null;
  const takes = turn.entered === null ? taken(state, turn) : null;
  return {
    ...working(turn),
    edits: commits(protocol, turn),
    takes,
    last: lastOf(state, turn),
    resolves: resolves(protocol, turn),
    resolving: turn.conflict?.by ?? null,
  };
}

/** A file without conflict markers is resolved by a command, such as `git add`. */
function resolves(protocol: Protocol, turn: Turn): Entering['resolves'] {
  const { workspace } = protocol;
  const asks = 'onConflict' in workspace && workspace.onConflict === 'user';
  if (asks || !commits(protocol, turn)) return 'none';
  return protocol.roles.get(turn.role)?.capabilities.includes('RUN_COMMANDS') === true ? 'all' : 'text';
}

function lastOf({ threads, mail }: MailState, { thread, role }: Turn): string | null {
  const sent = threads.get(thread)?.messages.flatMap((id) => mail.get(id)?.message ?? []) ?? [];
  return sent.findLast(({ from, work }) => from === role && work !== null)?.work?.commit ?? null;
}

/** The commits of the messages that a turn picked up, each once, in their order. */
function taken({ mail }: MailState, { messages }: Turn): TakenWork[] {
  const found = new Map<string, TakenWork>();
  for (const id of messages) {
    const message = mail.get(id)?.message;
    const commit = message?.work?.commit;
    if (message && commit !== undefined && !found.has(commit))
      found.set(commit, { commit, message: id, from: message.from });
  }
  return [...found.values()];
}

/** Whether a copy is in a turn that waits until a person has resolved a conflict. */
export function waitsForPerson({ turns }: MailState, delivery: Delivery | undefined): boolean {
  return delivery?.at === 'claimed' && turns.get(delivery.turn)?.conflict?.waits === true;
}

/** The commit that a turn with these messages must leave behind; null: it makes none. */
export function leavingOf(
  state: MailState,
  protocol: Protocol,
  turn: Turn,
  sent: readonly Sent[],
): Leaving | null {
  if (turn.entered === null || !commits(protocol, turn)) return null;
  const messages = sent.map(({ message }) => message);
  const title = messages[0]?.subject ?? state.threads.get(turn.thread)?.subject ?? '';
  return {
    ...working(turn),
    title,
    messages: messages.map(({ id }) => id),
    entered: turn.entered,
    takes: taken(state, turn),
    amends: turn.left,
  };
}

/** The messages of a turn with the commit that they are about. */
export function withWork(turn: Turn, sent: readonly Sent[]): readonly Sent[] {
  const commit = turn.left ?? turn.entered;
  if (commit === null) return sent;
  const work = { commit, branch: roleBranch(turn.thread, turn.role) };
  return sent.map((one) => ({ ...one, message: { ...one.message, work } }));
}

/** A role that must not edit passes on the commit that it read. */
function commits(protocol: Protocol, { role }: Turn): boolean {
  return protocol.roles.get(role)?.capabilities.includes('EDIT') === true;
}

function working({ id, role, thread }: Turn) {
  return { turn: id, role, thread, branch: roleBranch(thread, role) };
}
