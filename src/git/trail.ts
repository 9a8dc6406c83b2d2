/** One commit: what changed in the mail folders, and what to say about it. */
export interface TrailEntry {
  /** The journal's number of the event. */
  readonly seq: number;
  readonly at: number;
  readonly subject: string;
  readonly trailers: readonly (readonly [string, string])[];
  readonly changes: readonly TrailChange[];
}

/** Paths are relative to the project. `text` null removes the file. */
export interface TrailChange {
  readonly path: string;
  readonly text: string | null;
}

export interface Trail {
  /** Queues a commit. Never throws and never blocks; order is kept. */
  record(entry: TrailEntry): void;
  /** The `Seq` of the last commit on the branch; 0 when there is none, null where there is no trail. */
  position(): Promise<number | null>;
  /** Resolves when everything recorded is committed, or cannot be. */
  settled(): Promise<void>;
  /** The last problem, for `status`; null when all is well. */
  problem(): string | null;
}
