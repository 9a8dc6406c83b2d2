import type { Json } from '../../kernel/json.ts';
import type { PublishedStatus } from './nostr/documents.ts';

/** The reports of others about a request's run. */
export interface RemoteStatus {
  readonly request: string;
  readonly reports: readonly PublishedStatus[];
}

/** The result of sending. */
export interface SentEvents {
  /** Events that every relay has now answered, and one had not before. */
  readonly sent: number;
  /** Events that some relay has still not answered. */
  readonly unsent: number;
  /** Why; empty: no problems. */
  readonly problems: readonly string[];
}

export interface AskedExecution {
  /** The tag `d` of a definition, or the id of its event; relays also know `30920:<author>:<d>`. */
  readonly workflow: string;
  /** Values, or strings that a person wrote for them. */
  readonly inputs: Readonly<Record<string, Json>> | readonly (readonly [string, string])[];
  /** Null: unlimited. */
  readonly msats: number | null;
  /** Milliseconds; null: the project's limit. */
  readonly timeout: number | null;
}
