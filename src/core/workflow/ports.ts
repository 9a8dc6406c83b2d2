import type { JsonObject } from '../json.ts';
import type { Path, RunEvent } from './event.ts';
import type { Collected, Launch, Prepared } from './launch.ts';
import type { Workflow } from './model.ts';

/**
 * The files of one run: its folder `.mailroom/runs/<run>/` and its context folder. Synchronous. A path that leaves its
 * root throws `E_PATH`; what the disk refuses throws `E_DISK`. Whatever it puts somewhere appears there by one rename.
 */
export interface RunFiles {
  /** Makes the folders, places the inputs, removes an old decision and old values. Safe to repeat. */
  prepare(launch: Launch): Prepared;
  /** Reads what the worker handed over and, where `keep`, copies its outputs into the context. Safe to repeat. */
  collect(launch: Launch, keep: boolean): Collected;
  /** Copies an artifact of a step of a sub-workflow to the step that it is exported from. */
  export(from: Path, artifact: string, to: Path, as: string): boolean;
  /** Writes `<context>/<path>/_meta.json`. */
  meta(path: Path, document: JsonObject): void;
  /** Writes `<context>/_workflow.json`. */
  summary(document: JsonObject): void;
  /** Keeps a step that failed for good: its prompt, inputs, reason, cost so far and what it had changed. */
  deadLetter(path: Path, document: JsonObject, difference: string | null): void;
}

/** The journal of a run; as that of the mail, with its own events. */
export interface RunJournal {
  read(): {
    snapshot: { n: number; state: unknown } | null;
    records: readonly RunRecord[];
    cut: string | null;
  };
  append(events: readonly RunEvent[]): number;
  sync(): void;
  snapshot(n: number, state: unknown, keepAfter: number): void;
  close(): void;
}

export interface RunRecord {
  readonly n: number;
  readonly event: RunEvent;
}

/** What lies in the folder of a run besides its journal. */
export interface RunFolder {
  readonly run: string;
  /** The definition as it was at the start; sub-workflows are inside it. */
  readonly definition: Workflow;
  /** Absolute; what paths of the definition are relative to. */
  readonly workspace: string;
}
