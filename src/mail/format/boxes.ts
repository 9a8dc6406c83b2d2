import type { RoleName, MessageId } from '../../kernel/ids.ts';
import type { Content } from '../../kernel/content.ts';

export type Box = 'inbox' | 'outbox';

/** A file that lies in a mailbox and whose name the caller does not expect there. */
export interface Dropped {
  readonly role: RoleName;
  readonly box: Box;
  readonly name: string;
}

export interface Accepted {
  readonly id: MessageId;
  readonly role: RoleName;
  readonly box: Box;
  /** The name that it was dropped under, where it is still known. */
  readonly name: string | null;
  readonly content: Content;
}

/** A place in a role's folder. `processed`, `sent` and `failed` are filed by month. */
export type Folder = 'inbox' | 'processed' | 'sent' | 'failed' | 'withdrawn';
