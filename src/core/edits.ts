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
