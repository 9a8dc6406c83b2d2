import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import { enumerate } from '../kernel/enumerate.ts';
import { roleBranch, roleCheckout, rulesReason, threadBranch } from '../kernel/work.ts';
import { obeyedPlaces } from '../process/sandbox/obeyed-paths.ts';
import { git, whyGitFailed } from './git.ts';
import { givenIn, isGiven } from './given.ts';
import { judgeChanges, type NamedFiles } from './judged-changes.ts';
import { Refs } from './refs.ts';
import type { RunResult } from '../process/run.ts';
import { changedFiles } from './run-differences.ts';
import { innerRepositories, workInside } from './submodules.ts';

interface Owner {
  readonly thread: string;
  /** Null: all roles of the thread share it. */
  readonly role: string | null;
}

/** The checkout and branch of a thread, or of a role in one. */
export interface Worktree extends Owner {
  readonly branch: string;
  /** Relative to the project; null: only the branch is left. */
  readonly path: string | null;
  /** The number of files with uncommitted changes; null: git cannot determine it. */
  readonly uncommitted: number | null;
  /**
   * The number of commits that the project's checkout does not have; null: git cannot determine it.
   */
  readonly unmerged: number | null;
}

const branchPattern = /^mailroom(?:-(?<shared>[^/]+)|\/(?<thread>[^/]+)\/(?<role>[^/]+))$/;
const threadPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const everything = { ignored: [], ours: [] };
/** The identity for commits where the user has not configured one. */
const nobody = { name: 'Mailroom', email: 'mailroom@localhost' };

/** The git worktrees of threads and their roles. No operation loses a change that git knows. */
export class Worktrees {
  readonly #project: string;
  readonly #named: NamedFiles;

  /** `project`: absolute path. */
  constructor(project: string, named: NamedFiles) {
    this.#project = project;
    this.#named = named;
  }

  /** Every branch of a thread or a role of one, the oldest thread first; empty outside git. */
  async list(): Promise<Worktree[]> {
    const patterns = ['refs/heads/mailroom-*', 'refs/heads/mailroom/'];
    const refs = await this.#git(['for-each-ref', '--format=%(refname:lstrip=2)', ...patterns]);
    const owners = refs.stdout.split('\n').flatMap((branch) => ownerOf(branch) ?? []);
    const named = owners.map((owner) => ({ owner, name: checkoutOf(owner) }));
    named.sort((a, b) => (a.name < b.name ? -1 : 1));
    return Promise.all(named.map(({ owner }) => this.#look(owner)));
  }

  async #look(owner: Owner): Promise<Worktree> {
    const [branch, folder] = [branchOf(owner), this.#folder(owner)];
    const path = existsSync(join(folder, '.git')) ? `.mailroom/worktrees/${checkoutOf(owner)}` : null;
    const [changes, ahead] = await Promise.all([
      path === null ? null : changedFiles({ workspace: folder, base: 'HEAD' }, everything),
      this.#git(['rev-list', '--count', `HEAD..${branch}`]),
    ]);
    const given = path === null ? [] : givenIn(folder);
    const own = changes?.ok === true ? changes.changed.filter((each) => !isGiven(given, each)) : [];
    const uncommitted = changes === null || changes.ok ? own.length : null;
    const unmerged = ahead.exitCode === 0 ? Number(ahead.stdout.trim()) : null;
    return { ...owner, branch, path, uncommitted, unmerged };
  }

  /**
   * Merges such a branch into the branch that is checked out in the project, then removes its
   * checkout and branch. `rules`: also where it changes rules of the project.
   */
  async merge(owner: Owner, subject: string, { rules = false } = {}): Promise<void> {
    await this.#mustNotMerge();
    await this.#keep(owner, subject);
    const branch = branchOf(owner);
    await this.#mustBeWork(branch, rules);
    const merged = await this.#git(['merge', '--no-ff', '-m', `Merge ${branch}: ${subject}`, branch]);
    if (merged.exitCode !== 0) {
      const files = await this.#git(['diff', '--name-only', '--diff-filter=U']);
      await this.#git(['merge', '--abort']);
      const conflicts = files.stdout.trim().replaceAll('\n', ', ');
      const why = conflicts === '' ? whyGitFailed(merged) : `these conflict: ${conflicts}`;
      const hint = `nothing was changed; \`git merge ${branch}\` by hand, then \`mailroom worktree remove\``;
      throw new MailroomError('E_REFUSED', `${branch} cannot be merged: ${why}`, hint);
    }
    await this.#removeCheckout(owner);
    await this.#must(['branch', '-d', branch]);
  }

  /** Removes a checkout. Its branch stays, with all changes. */
  async remove(owner: Owner, subject: string): Promise<void> {
    await this.#keep(owner, subject);
    await this.#removeCheckout(owner);
  }

  /** The same judgement as on every other way out of a checkout. */
  async #mustBeWork(branch: string, mayChangeRules: boolean): Promise<void> {
    const refs = new Refs(this.#project);
    const base = (await refs.meeting('HEAD', branch))?.base ?? 'HEAD';
    const places = obeyedPlaces(this.#project, await this.#named());
    const judged = judgeChanges(await refs.changes(base, branch), places);
    const paths = judged.state.map(({ path }) => path);
    if (paths.length > 0)
      throw new MailroomError(
        'E_REFUSED',
        `${branch} changes ${enumerate(paths)}: Mailroom's own files and mail are not merged`,
        `take them out of the branch, or leave it: \`git diff ${base}...${branch}\``,
      );
    if (judged.rules === null || mayChangeRules) return;
    throw new MailroomError(
      'E_REFUSED',
      `${branch} is not merged: ${rulesReason(judged.rules)}`,
      `look at the changes with \`git diff ${base}...${branch}\`, then merge it with \`--rules\``,
    );
  }

  /** A merge that the user has begun would be completed together with Mailroom's. */
  async #mustNotMerge(): Promise<void> {
    const begun = await this.#git(['rev-parse', '--verify', '--quiet', 'MERGE_HEAD']);
    if (begun.exitCode !== 0) return;
    const hint = 'end it with `git commit` or `git merge --abort`, then try again';
    throw new MailroomError('E_REFUSED', 'a merge is in progress in the project', hint);
  }

  /** Commits the files of the checkout, so that the branch contains them. */
  async #keep(owner: Owner, subject: string): Promise<void> {
    const folder = this.#folder(owner);
    if (!existsSync(join(folder, '.git'))) return;
    await mustHoldNoWork(folder);
    await this.#takeBackGiven(folder);
    // An agent may have left the checkout on another branch, or made its branch a name of another
    // one, which this commit must not move.
    const branch = `refs/heads/${branchOf(owner)}`;
    await this.#must(['update-ref', '--no-deref', branch, branch]);
    await this.#must(['symbolic-ref', 'HEAD', branch], folder);
    // Of a submodule only its commit counts: its own configuration must start no program here.
    await this.#must(['-c', 'diff.ignoreSubmodules=dirty', 'add', '-A'], folder);
    const clean = await this.#git(['diff', '--cached', '--quiet'], folder);
    if (clean.exitCode === 0) return;
    await this.#must(['commit', '-q', '-m', subject], folder);
  }

  /** What a step was given is not its work. */
  async #takeBackGiven(folder: string): Promise<void> {
    for (const given of givenIn(folder)) {
      rmSync(join(folder, given), { recursive: true, force: true });
      // Where the commit has something in that place. Else git refuses, and there is nothing to do.
      await this.#git(['checkout', '-q', 'HEAD', '--', `:(literal)${given}`], folder);
    }
  }

  async #removeCheckout(owner: Owner): Promise<void> {
    const folder = this.#folder(owner);
    if (!existsSync(join(folder, '.git'))) return;
    // Not forced, as that would lose a change made just now; but git removes no submodule unforced.
    const { submodules } = await innerRepositories(folder);
    await this.#must(['worktree', 'remove', ...(submodules.length > 0 ? ['--force'] : []), folder]);
  }

  #folder(owner: Owner): string {
    return join(this.#project, '.mailroom', 'worktrees', checkoutOf(owner));
  }

  async #must(args: readonly string[], cwd?: string): Promise<void> {
    const result = await this.#git(args, cwd);
    if (result.exitCode !== 0)
      throw new MailroomError('E_REFUSED', `git ${args[0] ?? ''} failed: ${whyGitFailed(result)}`);
  }

  async #git(args: readonly string[], cwd = this.#project): Promise<RunResult> {
    const known = await git(['config', 'user.email'], { cwd });
    return git(args, { cwd, fetches: true, ...(known.stdout.trim() === '' ? { identity: nobody } : {}) });
  }
}

/** Null: the branch belongs to no thread. */
function ownerOf(branch: string): Owner | null {
  const { shared, thread = shared ?? '', role = null } = branchPattern.exec(branch)?.groups ?? {};
  return threadPattern.test(thread) ? { thread, role } : null;
}

function branchOf({ thread, role }: Owner): string {
  return role === null ? threadBranch(thread) : roleBranch(thread, role);
}

function checkoutOf({ thread, role }: Owner): string {
  return role === null ? thread : roleCheckout(thread, role);
}

/** Git commits only the names of the repositories in a checkout, and removes them with it. */
async function mustHoldNoWork(folder: string): Promise<void> {
  const { submodules, others } = await innerRepositories(folder);
  if (others[0] !== undefined)
    throw new MailroomError(
      'E_REFUSED',
      `a repository of its own lies in the checkout: ${others[0]}`,
      `move it out of ${folder}, with what you want to keep of it, then try again`,
    );
  const inside = await workInside(folder, submodules);
  if (inside === null) return;
  throw new MailroomError(
    'E_REFUSED',
    `the submodule ${inside.path} of the checkout has work that is nowhere else: ${inside.work}`,
    `push it from ${join(folder, inside.path)}, or undo it there, then try again`,
  );
}
