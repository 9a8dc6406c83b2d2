/**
 * A home folder for one run of a program that reads settings from nowhere else. It links to the
 * user's files, with one file changed, and is removed after the run.
 */
export interface ProgramHome {
  /**
   * The variable that names the folder to the program. Its former value, or `HOME`, is the user's
   * own.
   */
  readonly variable: string;
  /** The program's folder below it. */
  readonly folder: string;
  /** Files that the program reads beside that folder. */
  readonly beside: readonly string[];
  /** Folders in it that outlive the run; missing ones are created. */
  readonly lasting: readonly string[];
  /**
   * The settings file in it; `text` derives its content from the user's own (null: none) at `path`,
   * or throws.
   */
  readonly settings: {
    readonly name: string;
    readonly text: (own: string | null, path: string) => string;
  };
}
