import type { Diagnostic } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/json.ts';
import type { NewDefinition } from '../../languages/nip/defining.ts';
import type { WorkflowList } from '../../nostr/listing.ts';
import type { ExecutionReport } from '../../nostr/report.ts';
import type { PublishedStatus } from '../../nostr/published-status.ts';
import type { BeginOptions, RunController, StoredRun } from '../runs/services.ts';

/** The operations of the language nip on workflows by id. */
export interface NipServices {
  /**
   * Signs a definition, unless its author has, and keeps it. A `text` is the content of `file`, a
   * path for people. Throws the definition's problems.
   */
  define(definition: NewDefinition | { readonly text: string; readonly file: string }): Promise<Defined>;
  /** The definitions that are known here, and the task kinds that roles do. */
  list(): Promise<WorkflowList>;
  /**
   * The options to begin a run of a defined workflow. Throws `E_TARGET` where it is unknown, and
   * the problems of the rest.
   */
  prepare(asked: AskedExecution): Promise<Omit<BeginOptions, 'watch'>>;
  /**
   * The run of this project that a word names: as `status`, without remote ones. Throws `E_TARGET`.
   */
  find(word: string): StoredRun;
  /** The status of a run, by its id. Throws `E_TARGET`. */
  report(run: string): Promise<ExecutionReport>;
  /**
   * The same, also by its `executionId` or the end of the run's id, and for the run of a request
   * (the id of its event), here or as relays report it. Throws `E_TARGET` where it is unknown.
   */
  status(word: string): Promise<ExecutionReport | RemoteStatus>;
  /**
   * Stops a run that has just begun and resumes it in a process of its own, which outlives this
   * one. Resolves when that has begun, at the latest after ten seconds.
   */
  handOver(controller: RunController): Promise<void>;
  /** Sends the relays of the project the events that they have not answered. */
  send(): Promise<SentEvents>;
  /**
   * Sends events until closed, including those of earlier runs; null: the project has no relays.
   * `failed`: receives internal errors.
   */
  keepSending(failed: (error: unknown) => void): Promise<{ close(): Promise<void> } | null>;
}

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
