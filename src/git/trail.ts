/** One commit of the trail: what changed in the mail folders, and its message. */
export interface TrailEntry {
  /** The event's number in the journal. */
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
  /** Queues a commit. Never throws or blocks; order is kept. */
  record(entry: TrailEntry): void;
  /**
   * The `Seq` of the last commit on the branch; 0 when there is none, null where there is no trail.
   */
  position(): Promise<number | null>;
  /** Resolves once every recorded entry is committed, or has failed. */
  settled(): Promise<void>;
  /** The last problem, for `status`; null if there is none. */
  problem(): string | null;
}
