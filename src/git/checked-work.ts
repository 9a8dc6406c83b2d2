import { shortCommit, type RoleName, type ThreadId } from '../kernel/ids.ts';
import { roleBranch, type CheckedWork } from '../kernel/work.ts';
import { pathsOf } from './checkout.ts';
import { mergeAll, sideOf } from './merging.ts';
import { Refs } from './refs.ts';
import { RoleCheckout } from './role-checkout.ts';

/**
 * The work that the checks of a turn's messages run on, one after the other, in the checkout of its
 * role. Each begins with exactly the files of a commit; ignored files stay. Throws `GitProblem`.
 */
export class WorkToCheck {
  readonly #refs: Refs;
  /** Its `restore` lays the work of the role out again, without what checks changed. */
  readonly checkout: RoleCheckout;
  readonly #checked: CheckedWork;
  readonly commit: string;
  /** The commit whose files the checkout has, as long as no check has run; null: unknown. */
  #at: string | null;

  /** Absolute paths. `left`: the commit that the turn made, whose files lie there; null: none. */
  constructor(project: string, path: string, checked: CheckedWork, left: string | null) {
    this.#refs = new Refs(project);
    this.checkout = new RoleCheckout({ project, path, ...checked }, this.#refs);
    this.#checked = checked;
    this.#at = left;
    this.commit = left ?? checked.entered;
  }

  /** Lays the work out for the next check; returns why there is none, in words; null: it is. */
  async layOut(on: 'own' | 'merged'): Promise<string | null> {
    const { others, ...about } = this.#checked;
    const merging = { ...about, takes: on === 'merged' ? others : [] };
    const { at, conflict } = await mergeAll(this.#refs, this.checkout.files, this.commit, merging);
    if (conflict !== null) {
      return (
        `the merge of all work in the thread has a conflict: that of ${sideOf(conflict.taken)} ` +
        `and ${shortCommit(at)} in ${pathsOf(conflict.merged).join(', ')}`
      );
    }
    await this.checkout.visit(at, this.#at === at);
    // The check may change files.
    this.#at = null;
    return null;
  }
}

/** The same for what a branch will have when the work of a role lands there. */
export class LandingToCheck {
  /** Its `restore` lays the work of the role out again, without what checks changed. */
  readonly checkout: RoleCheckout;
  readonly commit: string;

  /** Absolute paths; `path`: the checkout of the role. */
  constructor(
    project: string,
    path: string,
    { thread, role }: { readonly thread: ThreadId; readonly role: RoleName },
    commit: string,
  ) {
    const branch = roleBranch(thread, role);
    this.checkout = new RoleCheckout({ project, path, thread, role, branch }, new Refs(project));
    this.commit = commit;
  }

  async layOut(): Promise<null> {
    await this.checkout.visit(this.commit, false);
    return null;
  }
}
