import type { Ask } from '../event.ts';
import type { MessageId, RoleName, ThreadId } from '../../../kernel/ids.ts';

/** The author of a message, and the stamp that the controller gives it. */
export interface Author {
  readonly role: RoleName;
  /** The thread of the message; null when a person has not set one. */
  readonly thread: ThreadId | null;
  /** What the author's turn owes; empty for a person. */
  readonly owes: readonly Ask[];
  readonly turn: boolean;
  /** At the nesting limit: must not send requests. */
  readonly mustAnswer: boolean;
  readonly id: MessageId;
  readonly created: number;
}
