import { mailroom } from '../../format/message.ts';
import { workflowRole } from '../../format/protocol.ts';
import type { Ask } from '../event.ts';
import type { MailState, Turn } from '../state.ts';
import type { MessageId, RoleName, ThreadId } from '../../../kernel/ids.ts';

/** The author of a message, and the stamp that the controller gives it. */
export interface Author {
  readonly role: RoleName;
  /** The thread of the message; null when a person has not set one. */
  readonly thread: ThreadId | null;
  /** What the author's turn owes; empty for a person. */
  readonly owes: readonly Ask[];
  /** To whom the built-in `question` goes: the senders of the turn's mail; empty for a person. */
  readonly asks: readonly RoleName[];
  readonly turn: boolean;
  /** At the nesting limit: must not send requests. */
  readonly mustAnswer: boolean;
  readonly id: MessageId;
  readonly created: number;
}

/** The author of a message of a turn. */
export function authorOf(
  { mail }: MailState,
  { role, thread, owes, mustAnswer, messages }: Turn,
  { id, created }: Pick<Author, 'id' | 'created'>,
): Author {
  const worksOn = [...messages, ...owes.map(({ request }) => request)];
  const senders = worksOn.flatMap((one) => mail.get(one)?.message.from ?? []);
  const asks = [...new Set(senders)].filter((name) => ![role, workflowRole, mailroom].includes(name));
  return { role, thread, owes, asks, mustAnswer, turn: true, id, created };
}
