import type { Diagnostic } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/json.ts';
import type { NewDefinition } from '../../languages/nip/defining.ts';
import type { WorkflowList } from '../../nostr/listing.ts';
import type { ExecutionReport } from '../../nostr/report.ts';
import type { PublishedStatus } from '../../nostr/published-status.ts';
import type { BeginOptions, RunController, StoredRun } from '../runs/services.ts';

/** What the language nip lets people and their agents do with workflows by id. */
export interface NipServices {
  /**
   * Signs a definition, unless its author has, and keeps it. A text is that of a file (`file`: how people know it). Throws
   * what is wrong with it.
   */
  define(definition: NewDefinition | { readonly text: string; readonly file: string }): Promise<Defined>;
  /** The definitions that are known here, and the kinds of tasks that roles do. */
  list(): Promise<WorkflowList>;
  /** What a run of a defined workflow begins with. Throws `E_TARGET` where nothing is known of it, and what is wrong with the rest. */
  prepare(asked: AskedExecution): Promise<Omit<BeginOptions, 'watch'>>;
  /** The run of this project that a word means: as `status`, but for those elsewhere. Throws `E_TARGET`. */
  find(word: string): StoredRun;
  /** How a run stands, by its id. Throws `E_TARGET`. */
  report(run: string): Promise<ExecutionReport>;
  /**
   * The same, by its `executionId` or the end of the run's id, too, and of the run that a request (the id of its event) asks for,
   * here or as relays tell of it. Throws `E_TARGET` where nothing is known of it.
   */
  status(word: string): Promise<ExecutionReport | ToldStatus>;
  /**
   * Stops a run that has just begun and resumes it in a process of its own, which lives on when this one ends. Resolves when
   * that has begun, at the latest after ten seconds.
   */
  handOver(controller: RunController): Promise<void>;
  /** Sends the relays of the project what they have not answered yet. */
  send(): Promise<SentEvents>;
  /**
   * Does so until it is closed, with what is left of earlier runs, too; null: the project has no relays. `failed`: something is
   * wrong with the program.
   */
  keepSending(failed: (error: unknown) => void): Promise<{ close(): Promise<void> } | null>;
}

/** What others say of the run that a request asks for. */
export interface ToldStatus {
  readonly request: string;
  readonly told: readonly PublishedStatus[];
}

/** What came of sending. */
export interface SentEvents {
  /** Events that every relay has answered by now, and one had not before. */
  readonly sent: number;
  /** Events that some relay has still not answered. */
  readonly unsent: number;
  /** Why; empty: all is well. */
  readonly problems: readonly string[];
}

/** A definition that was kept. */
export interface Defined {
  /** The tag `d`. */
  readonly workflowId: string;
  readonly eventId: string;
  readonly version: string;
  readonly stepCount: number;
  /** The event of the definition that was known by this id until now; null: there was none, or it is the same, or still known by it. */
  readonly replaced: string | null;
  /** The event of a newer definition by the same author, which stays known by this id; null: this one is. */
  readonly newer: string | null;
  /** What is without effect in it, or probably not meant. */
  readonly warnings: readonly Diagnostic[];
  /** By address, what each relay of the project says to it; missing: it was sent to none. */
  readonly relays?: Readonly<Record<string, string>>;
}

export interface AskedExecution {
  /** The tag `d` of a definition, or the id of its event; `30920:<author>:<d>` is known to relays. */
  readonly workflow: string;
  /** Values, or what a person wrote for them. */
  readonly inputs: Readonly<Record<string, Json>> | readonly (readonly [string, string])[];
  /** Null: as much as it costs. */
  readonly msats: number | null;
  /** Milliseconds; null: as long as the project allows. */
  readonly timeout: number | null;
}
