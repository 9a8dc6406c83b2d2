import type { Diagnostic } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/json.ts';
import type { PublishedStatus } from '../../nostr/published-status.ts';

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

/** A definition that was kept. */
export interface Defined {
  /** The tag `d`. */
  readonly workflowId: string;
  readonly eventId: string;
  readonly version: string;
  readonly stepCount: number;
  /**
   * The event of the definition that had this id until now; null: there was none, or it is the
   * same, or still current.
   */
  readonly replaced: string | null;
  /**
   * The event of a newer definition by the same author, which stays current for this id; null: this
   * one is.
   */
  readonly newer: string | null;
  /** Warnings of parts without effect, or probably not intended. */
  readonly warnings: readonly Diagnostic[];
  /** Each relay's answer, by address; null: it was sent to none. */
  readonly relays: Readonly<Record<string, string>> | null;
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
