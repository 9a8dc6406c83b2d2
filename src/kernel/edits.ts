/** What a process changed in its workspace. */
export interface Edits {
  readonly changed: readonly Edit[];
  /** Paths of files that were changed, too, and are too large to be told, or are repositories. */
  readonly leftOut: readonly string[];
}

/** One file that is another now. */
export interface Edit {
  /** Relative to the workspace. */
  readonly path: string;
  /** What it is now; a program is a file that may be executed, and the content of a link is where it leads. */
  readonly kind: 'file' | 'program' | 'link';
  /** Null: it was not there, or is gone. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/** By watched folder, paths in it that changed, or why git cannot compare it; one that lies outside git is not there. */
export type Changed = ReadonlyMap<string, readonly string[] | string>;

/** How many files were put back, or why none or not all. */
export interface RolledBack {
  readonly files: number;
  readonly problem: string | null;
}
