/**
 * Files that a command line depends on, read just before use: the user's settings, the repository's
 * instructions.
 */
export interface Reading {
  readonly files: readonly ReadFile[];
  /**
   * The parts of the command line to replace (`files` and `env` are merged), given the contents of
   * `files` in order; null: that file does not exist. Pure. Throws `E_PROVIDER` for a content that
   * cannot be used.
   */
  readonly apply: (texts: readonly (string | null)[]) => {
    readonly argv?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, string>>;
    readonly stdin?: string;
  };
}

export interface ReadFile {
  /** Absolute path. */
  readonly path: string;
  /**
   * A folder that others can write: only a regular file that really lies in it counts, up to
   * `bytes`. Null: a user's own file, read completely.
   */
  readonly within: { readonly folder: string; readonly bytes: number } | null;
}
