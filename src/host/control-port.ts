/* What other processes ask of a host, by files in a folder of its own. */

/** A file that another process left; `text` is null where it cannot be read as text, and `problem` says why. */
export type LeftFile =
  | { readonly name: string; readonly text: string; readonly problem: null }
  | { readonly name: string; readonly text: null; readonly problem: string };

export interface Control {
  /** The folder that the files lie in, from the project. */
  readonly folder: string;
  /** The command files that wait, oldest first. */
  list(): LeftFile[];
  remove(name: string): void;
  /** Puts a file aside that cannot be followed, unchanged, with the reason beside it. */
  refuse(name: string, problem: string): void;
}
