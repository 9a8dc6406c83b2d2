import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { listed } from '../kernel/enumerate.ts';
import { repositoryFrom } from '../process/sandbox/repository-place.ts';
import { putIndex } from './checkout.ts';
import { isOurs } from './folder-changes.ts';
import { copyIndex, listBytes, lookAt, whyOf, type GitLook } from './git-look.ts';
import { GitProblem, Refs } from './refs.ts';

/** A move of a branch, as `Landings` has prepared it. */
export interface Swap {
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly onto: string;
  readonly result: string;
}

export type Swapped =
  | { readonly is: 'landed' }
  /** The branch is elsewhere: somebody moved it meanwhile. */
  | { readonly is: 'moved' }
  /** It waits until somebody changes something, or time does. */
  | { readonly is: 'blocked'; readonly problem: string };

/**
 * Moves a branch from `onto` to `result`, if it is there, with a clean checkout of it. After a
 * crash the same call finishes what was begun. `settles`: only finishes and reports a move that was
 * begun, and begins none. Never rejects.
 */
export async function swapLanding(project: string, swap: Swap, settles = false): Promise<Swapped> {
  try {
    const refs = new Refs(project);
    const checkout = await checkoutOf(refs, project, swap.branch);
    if (checkout === null) return await moveBranch(refs, swap, settles);
    return await new BranchCheckout(project, checkout, refs, swap).move(settles);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { is: 'blocked', problem: error.message };
  }
}

async function moveBranch(refs: Refs, { branch, onto, result }: Swap, settles: boolean): Promise<Swapped> {
  const ref = `refs/heads/${branch}`;
  if (!settles && onto !== result && (await refs.move([{ ref, to: result, from: onto }], 'land')))
    return { is: 'landed' };
  const tip = await refs.find(ref);
  return { is: tip !== null && (await refs.contains(tip, result)) ? 'landed' : 'moved' };
}

/** The working tree that has this branch checked out; null: none. */
async function checkoutOf(refs: Refs, project: string, branch: string): Promise<string | null> {
  const repository = repositoryFrom(project);
  const ref = `refs/heads/${branch}`;
  // Most landings are on a branch that is checked out nowhere, and need no further process.
  if (repository !== null && !headsIn(repository).includes(`ref: ${ref}`)) return null;
  const worktrees = await refs.ask(['worktree', 'list', '--porcelain', '-z']);
  for (const record of worktrees.split('\0\0')) {
    const lines = record.split('\0');
    const path = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    if (path === undefined || !lines.includes(`branch ${ref}`)) continue;
    if (existsSync(path)) return path;
    if (lines.some((line) => line.startsWith('locked')))
      throw new GitProblem(`\`${branch}\` is checked out in ${path}, which is not mounted: mount it`);
  }
  return null;
}

/** What every `HEAD` of a repository says: of its own working tree, and of the linked ones. */
function headsIn(repository: string): string[] {
  const linked = join(repository, 'worktrees');
  const names = existsSync(linked) ? readdirSync(linked) : [];
  return [repository, ...names.map((name) => join(linked, name))]
    .map((folder) => join(folder, 'HEAD'))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8').trim());
}

/** What the lock of an index contains. A killed host leaves it; its successor takes it over. */
const ourLock = 'held by mailroom while it moves the branch\n';

/** The working tree of a person, which follows its branch. */
class BranchCheckout {
  readonly #project: string;
  readonly #path: string;
  readonly #refs: Refs;
  readonly #swap: Swap;

  constructor(project: string, path: string, refs: Refs, swap: Swap) {
    this.#project = project;
    this.#path = path;
    this.#refs = refs;
    this.#swap = swap;
  }

  async move(settles: boolean): Promise<Swapped> {
    let why = 'it lies in no repository';
    const done = await lookAt(
      this.#path,
      async (look) => {
        if (look.filters)
          return this.#blocked(
            'and the repository itself configures filters, which Mailroom does not run: ' +
              'check out another branch there, or move the filters to your own configuration',
          );
        return this.#locked(look, () => this.#move(look, settles));
      },
      (refused) => (why = refused),
    );
    return done ?? this.#blocked(`which git cannot use: ${why}`);
  }

  /** Keeps other git processes from the index: they would commit what it still lacks as removed. */
  async #locked(look: GitLook, work: () => Promise<Swapped>): Promise<Swapped> {
    const lock = `${look.index}.lock`;
    if (!takeLock(lock))
      return this.#blocked(`where git is at work: let it end, or remove ${lock} if nothing runs`);
    try {
      return await work();
    } finally {
      rmSync(lock, { force: true });
    }
  }

  async #move(look: GitLook, settles: boolean): Promise<Swapped> {
    const { branch, onto, result } = this.#swap;
    copyIndex(look.index, join(look.folder, 'index'));
    const tip = await this.#refs.find(`refs/heads/${branch}`);
    if (tip === null || (tip !== onto && !(await this.#refs.contains(tip, result)))) return { is: 'moved' };
    if (tip !== onto) {
      await this.#finish(look, tip);
      return { is: 'landed' };
    }
    if (settles || onto === result) return moveBranch(this.#refs, this.#swap, true);
    const changed = await this.#changes(look, onto);
    if (changed.length > 0)
      return this.#blocked(`with uncommitted changes (${shortened(changed)}): commit or stash them`);
    const tried = await readTree(look, ['-m', '-u', '-n'], onto, result);
    if (tried !== null) return this.#blocked(`where git cannot write its files: ${tried}`);
    const moved = await moveBranch(this.#refs, this.#swap, false);
    if (moved.is === 'landed') await this.#follow(look, ['-m', '-u'], result);
    return moved;
  }

  /** A host was killed after it had moved the branch, and before the index followed. */
  async #finish(look: GitLook, tip: string): Promise<void> {
    const { onto } = this.#swap;
    const written = await look.git(['write-tree', '--missing-ok']);
    if (written.stdout.trim() !== (await this.#refs.object(`${onto}^{tree}`))) return;
    const changed = await this.#changes(look, onto);
    const moved = new Set(await this.#changedBetween(onto, tip));
    // Some of these files are written already, or half written; a person may have edited others.
    if (changed.some((path) => moved.has(path))) await this.#keep(look, onto);
    await this.#follow(look, ['--reset', '-u'], tip);
  }

  async #changedBetween(before: string, after: string): Promise<string[]> {
    const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', before, after];
    return (await this.#refs.ask(args, { maxOutputBytes: listBytes })).split('\0');
  }

  /** Keeps the present files as a commit that only a ref of Mailroom names. */
  async #keep(look: GitLook, onto: string): Promise<void> {
    const index = join(look.folder, 'index');
    const before = `${index}.before`;
    copyFileSync(index, before);
    const added = await look.git(['add', '--update', '--', '.'], { cwd: look.top });
    const written = added.exitCode === 0 ? await look.git(['write-tree', '--missing-ok']) : added;
    copyFileSync(before, index);
    if (written.exitCode !== 0) throw new GitProblem(`the files cannot be read: ${whyOf(written)}`);
    const author = { name: 'Mailroom', email: 'mailroom@localhost' };
    const text = `Keep the files of ${this.#path} from before the branch moved\n`;
    const kept = await this.#refs.commit(written.stdout.trim(), [onto], { text, author });
    await this.#refs.move([{ ref: `refs/mailroom/kept/landing/${kept}`, to: kept }], 'land');
  }

  async #follow(look: GitLook, how: readonly string[], to: string): Promise<void> {
    const problem = await readTree(look, how, this.#swap.onto, to);
    if (problem !== null) throw new GitProblem(`${this.#path} cannot follow its branch: ${problem}`);
    putIndex(look);
  }

  /** The tracked files that differ from a commit, without those that Mailroom itself writes. */
  async #changes(look: GitLook, commit: string): Promise<string[]> {
    // So that files which only have another time do not count. It fails where others have changed.
    await look.git(['update-index', '-q', '--refresh'], { cwd: look.top });
    // Not those of a submodule: git would obey its configuration.
    const args = ['diff-index', '--name-only', '-z', '--no-renames', '--ignore-submodules=all', commit, '--'];
    const result = await look.git(args, { cwd: look.top, maxOutputBytes: listBytes });
    if (result.exitCode !== 0) throw new GitProblem(`git cannot compare its files: ${whyOf(result)}`);
    const project = realpathSync(this.#project);
    const top = realpathSync(look.top);
    return result.stdout
      .split('\0')
      .filter((path) => path !== '' && !isOurs(relative(project, join(top, path))));
  }

  #blocked(why: string): Swapped {
    return { is: 'blocked', problem: `\`${this.#swap.branch}\` is checked out in ${this.#path}, ${why}` };
  }
}

/** Null: git did it; else why not. */
async function readTree(
  look: GitLook,
  how: readonly string[],
  from: string,
  to: string,
): Promise<string | null> {
  const read = await look.git(['read-tree', ...how, from, to], { cwd: look.top, timeoutMs: checkoutMs });
  return read.exitCode === 0 ? null : whyOf(read);
}

const checkoutMs = 600_000;

/** False: another process has it. */
function takeLock(lock: string): boolean {
  const draft = `${lock}.mailroom`;
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, ourLock);
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readFileSync(lock, 'utf8') === ourLock;
  } finally {
    rmSync(draft, { force: true });
  }
}

const mostNamed = 3;

function shortened(paths: readonly string[]): string {
  const more = paths.length - mostNamed;
  const named = paths.slice(0, mostNamed).map((path) => `\`${path}\``);
  return listed(more > 0 ? [...named, `${String(more)} more`] : named);
}
