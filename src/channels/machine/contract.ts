import type { Json } from '../../kernel/json.ts';
import type { RoleName, ThreadId, TypeName } from '../../kernel/ids.ts';

/*
 * The contract of all channels. A channel only talks; what is sent and what a received text means
 * is decided here, the same for all of them.
 */

/** What waits for people: an item of their inboxes, with its text. */
export interface Item {
  /** Never changes: the item is sent once. */
  readonly key: string;
  readonly kind: 'request' | 'approval' | 'notice';
  /** Who may answer it; empty: any person. */
  readonly to: readonly RoleName[];
  readonly thread: ThreadId | null;
  readonly from: string;
  readonly type: TypeName;
  readonly subject: string;
  readonly body: string;
  readonly deadline: string | null;
  readonly onTimeout: string | null;
  /** The types that answer it; for an approval, its choices. */
  readonly replyTypes: readonly TypeName[];
  readonly fields: Readonly<Record<string, ItemField>>;
  /** The command that shows all of it. */
  readonly command: string;
  /** The work that it delivers; null: none. */
  readonly delivery: Delivery | null;
}

interface ItemField {
  readonly type: string;
  /** The allowed values; null: any of its type. */
  readonly enum: readonly Json[] | null;
  readonly required: boolean;
}

export interface Delivery {
  readonly commit: string;
  /** How it came about, for a description. */
  readonly trail: string;
}

/** A message for a channel. */
export interface Post {
  readonly key: string;
  /** Null: it begins a conversation. */
  readonly conversation: string | null;
  readonly subject: string;
  readonly text: string;
  readonly delivery: Delivery | null;
  /** The people that it is for, by their names on the channel. */
  readonly to: readonly string[];
}

/** Where a message has arrived. */
export interface Posted {
  readonly reference: string;
  readonly conversation: string;
}

/** How the thread of a conversation is: words that are sent once and changed after that. */
export interface Status {
  readonly key: string;
  readonly conversation: string;
  readonly text: string;
  /** Where the text is; null: nowhere, as far as is known. */
  readonly reference: string | null;
}

/** What a channel has received. The channel vouches for the author. */
export interface Incoming {
  /** Unique on the channel: it counts once. */
  readonly id: string;
  readonly kind: 'task' | 'reply';
  readonly conversation: string;
  /** The reference of the text that it answers; null: the channel does not know. */
  readonly answers: string | null;
  readonly author: string;
  /** Who wrote it, if somebody else passes it on. */
  readonly writer: string;
  /** Why the author is not certain; null: the channel has verified it. */
  readonly forged: string | null;
  /** Why a program may have written it instead of its author. Absent or null: nothing says so. */
  readonly doubt?: string | null;
  readonly subject: string;
  readonly text: string;
}

export interface Received {
  readonly incoming: readonly Incoming[];
  /** What could not be read, by an id that the same problem has each time, with the reason. */
  readonly unread: readonly { readonly id: string; readonly reason: string }[];
  readonly cursor: Json;
}

/** A service where people read and write. Every method throws `ChannelError`. */
export interface Channel {
  /** Whether `receive` has something to say at once: it does not wait for the next look. */
  readonly hasNews: boolean;
  /** Has this called whenever it gets news. */
  listen(news: () => void): void;
  /** Sends a message whose sending has never begun. */
  send(post: Post): Promise<Posted>;
  /** Where a message is that may have arrived since a time; null: nowhere. */
  find(post: Post, since: number): Promise<Posted | null>;
  /**
   * Sends a status, or changes the one that has arrived, and returns its reference. Null: it cannot
   * change what was sent.
   */
  readonly report: ((status: Status) => Promise<string>) | null;
  /**
   * What has come since the cursor; null: since a time. What `isKnown` says is known by its id may
   * be left out.
   */
  receive(cursor: Json, since: number, isKnown: (id: string) => boolean): Promise<Received>;
  /** What was received has been recorded durably: the service may forget it. */
  confirm(received: Received): void;
  close(): Promise<void>;
}

/**
 * Why a channel does not work. `refused`: it will never take this text, but others; else it can be
 * tried again, not before `retryAt`.
 */
export class ChannelError extends Error {
  readonly refused: boolean;
  readonly retryAt: number | null;

  constructor(
    message: string,
    { refused = false, retryAt = null }: { refused?: boolean; retryAt?: number | null } = {},
  ) {
    super(message);
    this.name = 'ChannelError';
    this.refused = refused;
    this.retryAt = retryAt;
  }
}
