import {
  existsSync,
  rmSync,
  lstatSync,
  readFileSync,
  renameSync,
  writeFileSync,
  mkdirSync,
  readdirSync,
} from 'node:fs';
import { join, basename, resolve } from 'node:path';
import { Checkout, type Merged } from './checkout.ts';
import { git } from './git.ts';
import { headBranch } from './head-branch.ts';
import { GitProblem, type RefChange, type Refs } from './refs.ts';
import { workingTreeAt, realPlace, repositoryFrom, textOf } from '../process/sandbox/repository-place.ts';
import { inTurn, repairWorktrees } from './workspace-tree.ts';

interface Place {
  /** Absolute paths. */
  readonly project: string;
  readonly path: string;
  readonly thread: string;
  readonly role: string;
  readonly branch: string;
}

/** What the refs of a checkout name; null: nothing. */
interface Known {
  readonly tip: string | null;
  /** The tree of the tip. */
  readonly tree: string | null;
  readonly laying: string | null;
  readonly visiting: string | null;
  /** As `layOutConflict` was given it. */
  readonly conflict: string | null;
}

interface Prepared extends Pick<Known, 'conflict'> {
  readonly tip: string;
  /** The tree of the tip, if it is known. */
  readonly tree: string | null;
  /** Whether the checkout was made now, and has no files yet: `moveTo` lays them out. */
  readonly isNew: boolean;
  /** Of the wanted commits, which exist. */
  readonly found: readonly (string | null)[];
}

/** The checkout of a role within a thread, and its branch. Throws `GitProblem`. */
export class RoleCheckout {
  readonly files: Checkout;
  readonly #place: Place;
  readonly #refs: Refs;
  readonly #branch: string;
  /** The commit that the thread began at. */
  readonly #base: string;
  /** The commit whose files are being written; exists only meanwhile. */
  readonly #laying: string;
  /** The commit that is checked out for a while, without the branch. */
  readonly #visiting: string;
  /** The conflict that lies in the checkout: a commit of its files, whose parents are the sides. */
  readonly #conflict: string;
  /** The commit that `#laying` names in a checkout that was made now. */
  #begun: string | null = null;

  /** `files`: those of the checkout, where something is known of them already. */
  constructor(place: Place, refs: Refs, files: Checkout = new Checkout(place.path)) {
    this.files = files;
    this.#place = place;
    this.#refs = refs;
    this.#branch = `refs/heads/${place.branch}`;
    this.#base = `refs/mailroom/base/${place.thread}`;
    this.#laying = `refs/mailroom/laying/${place.thread}/${place.role}`;
    this.#visiting = `refs/mailroom/visiting/${place.thread}/${place.role}`;
    this.#conflict = `refs/mailroom/conflict/${place.thread}/${place.role}`;
  }

  /**
   * Makes the branch and the checkout if they do not exist; returns the commit of the branch.
   * `base`: where the thread begins; `last`: the last commit that is known to have been on the
   * branch; null: none. `wanted`: commits to look for besides.
   */
  async prepare(base: string, last: string | null, wanted: readonly string[] = []): Promise<Prepared> {
    const { project, path, branch } = this.#place;
    repairWorktrees(project);
    const { found, ...known } = await this.#known([this.#base, base, last ?? this.#base, ...wanted]);
    const isNew = !existsSync(join(path, '.git'));
    const begun = known.tip === null ? await this.#begin(base, last, found, isNew) : null;
    const tip = known.tip ?? begun?.tip ?? '';
    if (isNew) {
      if (begun?.isLaying !== true) await this.#refs.move(this.#empty(tip), 'checkout');
      this.#begun = tip;
      if (!makeCheckout(project, path, branch))
        await inTurn(project, async () => {
          // One that was deleted by hand.
          await git(['worktree', 'remove', '--force', path], { cwd: project });
          await this.#refs.ask(['worktree', 'add', '--no-checkout', path, branch]);
        });
    }
    await this.#leave({ ...known, tip });
    const laid = isNew ? tip : known.laying;
    // A host was killed while it wrote the files. The agent had not started.
    if (laid !== null && !isNew) await this.#finish(laid, tip, false);
    await this.#follow();
    const tree = laid === null ? known.tree : null;
    const conflict = isNew ? null : known.conflict;
    return { tip: laid ?? tip, tree, conflict, isNew, found: found.slice(3) };
  }

  /** Of a checkout that has no files yet. */
  #empty(tip: string): RefChange[] {
    return [
      { ref: this.#laying, to: tip },
      { ref: this.#conflict, to: null },
    ];
  }

  /** Makes a checkout without files for `fill`; false: there is one, or git must make it. */
  begin(): boolean {
    const { project, path, branch } = this.#place;
    const tree = existsSync(path) ? workingTreeAt(path) : null;
    // A host was killed before it had laid out the files.
    if (tree !== null && !existsSync(tree.index)) rmSync(path, { recursive: true });
    if (!makeCheckout(project, path, branch)) return false;
    void this.files.find();
    return true;
  }

  /** Makes its branch, with the files; false: there is one, and the checkout is gone again. */
  async fill(commit: string): Promise<boolean> {
    const made = this.#refs.move([{ ref: this.#branch, to: commit, from: null }], 'begin');
    const [isMade] = await Promise.all([made, this.files.layOut(commit)]);
    if (!isMade) rmSync(this.#place.path, { recursive: true });
    return isMade;
  }

  async #known(wanted: readonly string[] = []): Promise<Known & Pick<Prepared, 'found'>> {
    const { project, path } = this.#place;
    anchorCheckout(project, path);
    if (existsSync(join(path, '.git'))) void this.files.find();
    const commit = (name: string) => `${name}^{commit}`;
    const states = [this.#branch, this.#laying, this.#visiting, this.#conflict].map(commit);
    const more = [`${this.#branch}^{tree}`, ...[this.#branch, ...wanted].map(commit)];
    const all = await this.#refs.objects([...states, ...more]);
    const [tip = null, laying = null, visiting = null, conflict = null, about = null, again, ...found] = all;
    // Somebody may have moved the branch meanwhile.
    const tree = again === tip ? about : null;
    return { tip, tree, laying, visiting, conflict, found };
  }

  /**
   * Begins the branch where it was, or at the commit that the thread began at; the first of `found`
   * are the commits of the thread, of its base and of the last one. `isLaying`: the refs of an
   * empty checkout are there, too.
   */
  async #begin(
    base: string,
    last: string | null,
    [known = null, given = null, sent = null]: readonly (string | null)[],
    isNew: boolean,
  ): Promise<{ readonly tip: string; readonly isLaying: boolean }> {
    const begun = known ?? given;
    if (begun === null)
      throw new GitProblem(
        base === 'HEAD'
          ? 'the repository has no commit'
          : `the base \`${base}\` of the workspace is not a commit`,
      );
    const tip = last === null ? begun : (sent ?? begun);
    const thread = { ref: this.#base, to: begun, from: null };
    const first = [
      ...(known === null ? [thread] : []),
      { ref: this.#branch, to: tip, from: null },
      ...(isNew ? this.#empty(tip) : []),
    ];
    if (await this.#refs.move(first, 'thread')) return { tip, isLaying: isNew };
    // Another role has begun the thread at the same time.
    await this.#refs.move([thread], 'thread');
    const at = (last === null ? null : sent) ?? (await this.#refs.find(this.#base)) ?? begun;
    const isBegun = await this.#refs.move([{ ref: this.#branch, to: at, from: null }], 'thread');
    return { tip: isBegun ? at : ((await this.#refs.find(this.#branch)) ?? at), isLaying: false };
  }

  /**
   * Brings the checkout and its branch from one commit to another, whatever files lie there.
   * `isAfter`: whether the commit is known to contain the other.
   */
  async moveTo(commit: string, tip: string, isAfter = false): Promise<void> {
    if (commit !== this.#begun) await this.#refs.move([{ ref: this.#laying, to: commit }], 'checkout');
    await this.#finish(commit, tip, isAfter);
  }

  async #finish(commit: string, tip: string, isAfter: boolean): Promise<void> {
    await this.files.layOut(commit);
    this.#begun = null;
    const { thread, branch } = this.#place;
    // A message may name a commit that the branch loses.
    const keeps = isAfter || (await this.#refs.contains(commit, tip)) ? [] : [tip];
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

  /** Lays out another commit than that of the branch, until `restore`. */
  async visit(commit: string, isLaidOut: boolean): Promise<void> {
    anchorCheckout(this.#place.project, this.#place.path);
    await this.#refs.move([{ ref: this.#visiting, to: commit }], 'visit');
    if (!isLaidOut) await this.files.layOut(commit);
  }

  /**
   * Lays the branch out again after `visit`, also that of a host that was killed. Returns the
   * commit of the branch with its tree, null if there is none, and the conflict that lies in the
   * checkout.
   */
  async restore(): Promise<Pick<Known, 'tip' | 'tree' | 'conflict'>> {
    const known = await this.#known();
    await this.#leave(known);
    return known;
  }

  async #leave({ visiting, tip }: Known): Promise<void> {
    if (visiting === null) return;
    if (tip !== null) await this.files.layOut(tip);
    await this.#refs.move([{ ref: this.#visiting, to: null }], 'visit');
  }

  /** Moves the branch, which is checked out here and has these files already. */
  async commit(commit: string, tip: string): Promise<void> {
    const moved = await this.#refs.move(
      [
        { ref: this.#branch, to: commit, from: tip },
        { ref: this.#conflict, to: null },
      ],
      'leave',
    );
    if (moved) return this.#follow();
    throw new GitProblem(
      `the branch ${this.#place.branch} was moved by somebody else, away from ${tip}: nothing was committed`,
    );
  }

  /** Lays both sides of a merge out. `laid`: a commit of its tree, whose parents are the sides. */
  async layOutConflict(laid: string, merged: Merged): Promise<void> {
    await this.#refs.move([{ ref: this.#conflict, to: laid }], 'conflict');
    await this.files.layOutMerge(merged);
  }

  /** Replaces an unfinished merge by the branch. `kept`: a commit with what was done; it stays. */
  async dropConflict(tip: string, kept: string): Promise<void> {
    const { thread } = this.#place;
    await this.#refs.move([{ ref: `refs/mailroom/kept/${thread}/${kept}`, to: kept }], 'conflict');
    await this.files.layOut(tip);
    await this.#refs.move([{ ref: this.#conflict, to: null }], 'conflict');
  }

  /** The project that it belongs to; absolute. */
  get project(): string {
    return this.#place.project;
  }

  /** An agent may have left its checkout on another branch. */
  async #follow(): Promise<void> {
    const { path, branch } = this.#place;
    const head = headBranch(path);
    if (head !== 'none' && head.branch === branch) return;
    await this.#refs.ask(['symbolic-ref', 'HEAD', this.#branch], { cwd: path });
  }
}

/** What git locks for a moment, in its folder for a checkout. */
const locks = ['index.lock', 'HEAD.lock'];

/**
 * Ties a checkout to its repository again: an agent that works there may have removed the `.git`
 * file, or made it name another repository. `path`: absolute; no agent works there any more. Throws
 * `GitProblem` where a repository of its own lies there.
 */
function anchorCheckout(project: string, path: string): void {
  const own = join(repositoryFrom(project) ?? '', 'worktrees', basename(path));
  const entry = join(path, '.git');
  const isOurs = [entry, join(realPlace(path), '.git')].includes(textOf(join(own, 'gitdir')).trim());
  if (!isOurs || !existsSync(path)) return;
  // A git that was killed leaves them, and every later one would refuse to work.
  for (const lock of locks.map((name) => join(own, name)))
    if (existsSync(lock)) rmSync(lock, { force: true });
  const found = lstatSync(entry, { throwIfNoEntry: false });
  if (found?.isDirectory() === true)
    throw new GitProblem(
      `\`${entry}\` is a repository of its own in the place of a checkout: move it elsewhere, then try again`,
    );
  const named =
    found?.isFile() === true ? /^gitdir: (.+)$/m.exec(readFileSync(entry, 'utf8'))?.[1] : undefined;
  if (named !== undefined && realPlace(resolve(path, named)) === realPlace(own)) return;
  const draft = join(own, 'mailroom.git');
  writeFileSync(draft, `gitdir: ${own}\n`);
  // Replaces a link, too, and does not follow it.
  renameSync(draft, entry);
}

/** Where a repository keeps more than these files: git itself must make its worktrees. */
const otherLayouts = ['reftable', 'config.worktree'];

/**
 * Makes a checkout at `path` (absolute) that is on `branch` and has no files yet, as
 * `git worktree add --no-checkout` does, without its processes. False: it is left to git, which
 * also says why it refuses. The files: `gitrepository-layout(5)`.
 */
export function makeCheckout(project: string, path: string, branch: string): boolean {
  const repository = repositoryFrom(project);
  if (repository === null || !isFree(path)) return false;
  if (otherLayouts.some((name) => existsSync(join(repository, name)))) return false;
  const [place, entry] = [realPlace(join(repository, 'worktrees')), join(realPlace(path), '.git')];
  const own = join(place, basename(path));
  const isThere = existsSync(own);
  // Of a checkout that was deleted by hand.
  const isOurs = textOf(join(own, 'gitdir')).trim() === entry && !existsSync(join(own, 'locked'));
  if ((isThere && !isOurs) || isTaken(repository, place, basename(path), branch)) return false;
  const draft = join(repository, `mailroom-${basename(path)}`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(join(draft, 'commondir'), '../..\n');
  writeFileSync(join(draft, 'gitdir'), `${entry}\n`);
  writeFileSync(join(draft, 'HEAD'), `ref: refs/heads/${branch}\n`);
  mkdirSync(place, { recursive: true });
  mkdirSync(path, { recursive: true });
  if (isThere) rmSync(own, { recursive: true });
  // Other git processes must not see a part of it.
  renameSync(draft, own);
  // It may lie on another file system. `repairWorktrees` fills one that a crash left empty.
  writeFileSync(entry, `gitdir: ${own}\n`);
  return true;
}

function isFree(path: string): boolean {
  return !existsSync(path) || readdirSync(path).length === 0;
}

/** Whether another working tree is on the branch, or may be: during a rebase HEAD does not say. */
function isTaken(repository: string, worktrees: string, own: string, branch: string): boolean {
  const others = existsSync(worktrees) ? readdirSync(worktrees).filter((name) => name !== own) : [];
  return [repository, ...others.map((name) => join(worktrees, name))].some(
    (folder) =>
      textOf(join(folder, 'HEAD')).trim() === `ref: refs/heads/${branch}` ||
      ['rebase-merge', 'rebase-apply', 'BISECT_LOG'].some((name) => existsSync(join(folder, name))),
  );
}
