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

/** What changed in a folder: paths relative to it. */
export interface FolderChanges {
  readonly paths: readonly string[];
  /** Those of them that git did not track before. */
  readonly untracked: readonly string[];
}

/**
 * By watched folder, what changed in it, or why git cannot compare it; folders outside git are
 * missing.
 */
export type Changed = ReadonlyMap<string, FolderChanges | string>;

/** How many files were restored, or why not all of them. */
export interface RolledBack {
  readonly files: number;
  readonly problem: string | null;
}
