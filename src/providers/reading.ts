/** Files that a command line depends on, read right before it is used: the person's settings, the repository's words. */
export interface Reading {
  readonly files: readonly ReadFile[];
  /**
   * What replaces these parts of the command line (`files` and `env` are added to), given the texts of `files` in their
   * order; null: that file is not there. Pure. Throws `E_PROVIDER` where a text cannot be used.
   */
  readonly apply: (texts: readonly (string | null)[]) => {
    readonly argv?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, string>>;
    readonly stdin?: string;
  };
}

export interface ReadFile {
  /** Absolute. */
  readonly path: string;
  /**
   * A folder that others may write: only a plain file that really lies in it counts, and of that at most `bytes`. Null: a
   * file of the person's own, of which every byte counts.
   */
  readonly within: { readonly folder: string; readonly bytes: number } | null;
}
