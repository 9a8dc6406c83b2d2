/** The files that a process changed in its workspace. */
export interface Edits {
  readonly changed: readonly Edit[];
  /** Paths of changed files that are too large to include, or are repositories. */
  readonly leftOut: readonly string[];
}

/** One changed file. */
export interface Edit {
  /** Relative to the workspace. */
  readonly path: string;
  /**
   * Its kind after the change; a program is an executable file, and the content of a link is its
   * target.
   */
  readonly kind: 'file' | 'program' | 'link';
  /** Null: the file did not exist before, or does not exist now. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/**
 * By watched folder, the paths in it that changed, or why git cannot compare it; folders outside
 * git are missing.
 */
export type Changed = ReadonlyMap<string, readonly string[] | string>;

/** How many files were restored, or why not all of them. */
export interface RolledBack {
  readonly files: number;
  readonly problem: string | null;
}
