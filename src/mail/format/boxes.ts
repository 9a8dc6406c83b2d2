import type { RoleName, MessageId } from '../../kernel/ids.ts';
import type { Content } from '../../kernel/content.ts';

export type Box = 'inbox' | 'outbox';

/** A file in a mailbox under a name that the caller does not expect there. */
export interface Dropped {
  readonly role: RoleName;
  readonly box: Box;
  readonly name: string;
}

export interface Accepted {
  readonly id: MessageId;
  readonly role: RoleName;
  readonly box: Box;
  /** The name that it was dropped under; null when no longer known. */
  readonly name: string | null;
  readonly content: Content;
}

/** A folder of a role. `processed`, `sent` and `failed` are divided by month. */
export type Folder = 'inbox' | 'processed' | 'sent' | 'failed' | 'withdrawn';
