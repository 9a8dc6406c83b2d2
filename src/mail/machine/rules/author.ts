import type { Ask } from '../event.ts';
import type { MessageId, RoleName, ThreadId } from '../../../kernel/ids.ts';

/** Who writes, where, and what the controller gives to the message. */
export interface Author {
  readonly role: RoleName;
  /** The thread that the message belongs to; null when a person has not said. */
  readonly thread: ThreadId | null;
  /** What the author's turn owes; nothing for a person. */
  readonly owes: readonly Ask[];
  readonly turn: boolean;
  /** At the nesting limit: no request of its own. */
  readonly mustAnswer: boolean;
  readonly id: MessageId;
  readonly created: number;
}
