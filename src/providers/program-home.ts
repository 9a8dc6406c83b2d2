/**
 * A home folder for one run of a program that takes settings from nowhere else. It shows what the person has, under links,
 * with one file changed, and is gone afterwards.
 */
export interface ProgramHome {
  /** Names the folder to the program. What it held before, else `HOME`, is the person's own. */
  readonly variable: string;
  /** Where the program keeps everything, below that. */
  readonly folder: string;
  /** What it reads beside that folder. */
  readonly beside: readonly string[];
  /** Folders in it that outlive the run, made if they are not there. */
  readonly lasting: readonly string[];
  /** The file of settings in it; `text` is made of the person's own (null: there is none) at `path`, or throws. */
  readonly settings: {
    readonly name: string;
    readonly text: (own: string | null, path: string) => string;
  };
}
