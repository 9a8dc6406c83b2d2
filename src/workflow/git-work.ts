/* What steps do in git, in the common form of all workflow languages. */

/** A git worktree and a branch of the run. It begins with the work of the steps before. */
export interface StepCheckout {
  /** Whose it is: the step's, or the enclosing item's of a loop with `isolated`. */
  readonly per: 'step' | 'item';
  /**
   * The steps whose work it merges. A worker runs only if that conflicts. Null: the step merges
   * what it depends on, and its worker runs on that.
   */
  readonly merges: readonly string[] | null;
}

/** Merges in its checkout, without a worker. */
export interface Merge {
  readonly kind: 'merge';
}

/** Brings the work of the steps before onto a branch. */
export interface Land {
  readonly kind: 'land';
  readonly branch: string;
  readonly by: 'merge' | 'rebase' | 'squash';
}

/** Globs of git branches. It holds once the step `after` is over; null: from the start. */
export interface BranchRule {
  /** Empty: any. */
  readonly expected: readonly string[];
  readonly forbidden: readonly string[];
  readonly after: string | null;
}
