import { copyFileSync, existsSync, renameSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { copyIndex, lookAt, takeFiles, whyOf, type GitLook } from './git-look.ts';
import { git } from './git.ts';
import { headBranch } from './head-branch.ts';
import { GitProblem, type Refs } from './refs.ts';
import { inTurn, treeChanges } from './workspace-tree.ts';

interface Place {
  /** Absolute paths. */
  readonly project: string;
  readonly path: string;
  readonly thread: string;
  readonly role: string;
  readonly branch: string;
}

/**
 * The checkout of a role within a thread, and its branch. Files are read and written without the
 * filters, hooks and merge programs of the repository's own configuration. Throws `GitProblem`.
 */
export class RoleCheckout {
  readonly #place: Place;
  readonly #refs: Refs;
  readonly #branch: string;
  /** The commit whose files are being written; exists only meanwhile. */
  readonly #laying: string;

  constructor(place: Place, refs: Refs) {
    this.#place = place;
    this.#refs = refs;
    this.#branch = `refs/heads/${place.branch}`;
    this.#laying = `refs/mailroom/laying/${place.thread}/${place.role}`;
  }

  /**
   * Makes the branch and the checkout if they do not exist; returns the commit of the branch.
   * `last`: the last commit that is known to have been on it; null: none.
   */
  async prepare(last: string | null): Promise<string> {
    const { project, path, branch } = this.#place;
    const tip = (await this.#refs.find(this.#branch)) ?? (await this.#begin(last));
    if (!existsSync(join(path, '.git'))) {
      await this.#refs.move([{ ref: this.#laying, to: tip }], 'checkout');
      await inTurn(project, async () => {
        // One that was deleted by hand.
        await git(['worktree', 'remove', '--force', path], { cwd: project });
        await this.#refs.ask(['worktree', 'add', '--no-checkout', path, branch]);
      });
    }
    const laid = await this.#refs.find(this.#laying);
    // A host was killed while it wrote the files. The agent had not started.
    if (laid !== null) await this.#finish(laid, tip);
    await this.#follow();
    return laid ?? tip;
  }

  /** Begins the branch where it was, or at the commit that the thread began at. */
  async #begin(last: string | null): Promise<string> {
    const base = `refs/mailroom/base/${this.#place.thread}`;
    const head = await this.#refs.find('HEAD');
    if (head === null) throw new GitProblem('the repository has no commit');
    await this.#refs.move([{ ref: base, to: head, from: null }], 'thread');
    const first =
      (last === null ? null : await this.#refs.find(last)) ?? (await this.#refs.find(base)) ?? head;
    await this.#refs.move([{ ref: this.#branch, to: first, from: null }], 'thread');
    return (await this.#refs.find(this.#branch)) ?? first;
  }

  /** Brings the checkout and its branch from one commit to another, whatever files lie there. */
  async moveTo(commit: string, tip: string): Promise<void> {
    await this.#refs.move([{ ref: this.#laying, to: commit }], 'checkout');
    await this.#finish(commit, tip);
  }

  async #finish(commit: string, tip: string): Promise<void> {
    await this.#layOut(commit);
    const { thread, branch } = this.#place;
    // A message may name a commit that the branch loses.
    const keeps = (await this.#refs.contains(commit, tip)) ? [] : [tip];
    const moved = await this.#refs.move(
      [
        ...(commit === tip ? [] : [{ ref: this.#branch, to: commit, from: tip }]),
        ...keeps.map((kept) => ({ ref: `refs/mailroom/kept/${thread}/${kept}`, to: kept })),
        { ref: this.#laying, to: null },
      ],
      'enter',
    );
    if (!moved) throw new GitProblem(`the branch ${branch} was moved by somebody else: try again`);
  }

  /** Writes the files of a commit, removes those that it lacks, and leaves ignored ones. */
  #layOut(commit: string): Promise<void> {
    return this.#look(async (look) => {
      copyIndex(look.index, join(look.folder, 'index'));
      const laid = await look.git(['read-tree', '--reset', '-u', commit], {
        cwd: look.top,
        timeoutMs: checkoutMs,
      });
      if (laid.exitCode !== 0) throw new GitProblem(`the checkout cannot be written: ${whyOf(laid)}`);
      putIndex(look);
    });
  }

  /**
   * The tree of all files that git does not ignore. Stages them, so that the role's own git shows
   * what is committed. `tip`: the commit that they are compared with.
   */
  async tree(tip: string): Promise<string> {
    const tree = await this.#stage();
    const changes = await treeChanges(this.#place.path, tip, tree);
    const nested = changes?.find(({ how, mode }) => how === 'A' && mode === '160000')?.path;
    if (nested === undefined) return tree;
    throw new GitProblem(
      `\`${nested}\` is a repository of its own, and git commits only its name: remove \`${nested}/.git\``,
    );
  }

  #stage(): Promise<string> {
    return this.#look(async (look) => {
      const taken = await takeFiles(look, '--all');
      const written = taken.exitCode === 0 ? await look.git(['write-tree', '--missing-ok']) : taken;
      if (written.exitCode !== 0) throw new GitProblem(`the files cannot be read: ${whyOf(written)}`);
      putIndex(look);
      return written.stdout.trim();
    });
  }

  /** The merge of two commits as a tree, or the files that conflict. */
  merge(ours: string, theirs: string): Promise<{ readonly tree: string; readonly conflicts: string[] }> {
    return this.#look(async (look) => {
      const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
      const merged = await look.git(args);
      if (merged.exitCode !== 0 && merged.exitCode !== 1)
        throw new GitProblem(`the work cannot be merged: ${whyOf(merged)}`);
      const [tree = '', ...conflicts] = merged.stdout.split('\0').filter((word) => word !== '');
      return { tree, conflicts };
    });
  }

  /** Moves the branch, which is checked out here and has these files already. */
  async commit(commit: string, tip: string): Promise<void> {
    if (await this.#refs.move([{ ref: this.#branch, to: commit, from: tip }], 'leave')) return this.#follow();
    throw new GitProblem(
      `the branch ${this.#place.branch} was moved by somebody else, away from ${tip}: nothing was committed`,
    );
  }

  /** An agent may have left its checkout on another branch. */
  async #follow(): Promise<void> {
    const { path, branch } = this.#place;
    const head = headBranch(path);
    if (head !== 'none' && head.branch === branch) return;
    await this.#refs.ask(['symbolic-ref', 'HEAD', this.#branch], { cwd: path });
  }

  async #look<T>(work: (look: GitLook) => Promise<T>): Promise<T> {
    let refused = 'it lies in no repository';
    const done = await lookAt(this.#place.path, work, (why) => (refused = why));
    if (done !== null) return done;
    throw new GitProblem(`${this.#place.path} cannot be used: ${refused}`);
  }
}

const checkoutMs = 600_000;

/** Puts the index of a look in the place of the checkout's own, with the time that git compares. */
export function putIndex({ folder, index }: GitLook): void {
  const [from, draft] = [join(folder, 'index'), `${index}.mailroom`];
  copyFileSync(from, draft);
  const { atime, mtime } = statSync(from);
  utimesSync(draft, atime, mtime);
  renameSync(draft, index);
}
