import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import { listBytes, pathOf } from './git-look.ts';
import { git, whyGitFailed } from './git.ts';
import type { RunResult } from '../process/run.ts';
import { changedFiles } from './run-differences.ts';

interface Worktree {
  readonly thread: string;
  readonly branch: string;
  readonly path: string | null;
  readonly uncommitted: number | null;
  readonly unmerged: number | null;
}

const begin = 'mailroom-';
const threadPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const everything = { ignored: [], ours: [] };
/** The identity for commits where the user has not configured one. */
const nobody = { name: 'Mailroom', email: 'mailroom@localhost' };

/** The git worktrees of a project's threads. No operation loses a change that git knows. */
export class Worktrees {
  readonly #project: string;

  /** `project`: absolute path. */
  constructor(project: string) {
    this.#project = project;
  }

  /** Every thread with its own branch, oldest first; empty outside git. */
  async list(): Promise<Worktree[]> {
    const refs = await this.#git(['for-each-ref', '--format=%(refname:short)', `refs/heads/${begin}*`]);
    const threads = refs.stdout
      .split('\n')
      .map((branch) => branch.slice(begin.length))
      .filter((thread) => threadPattern.test(thread));
    return Promise.all(threads.toSorted().map((thread) => this.#look(thread)));
  }

  async #look(thread: string): Promise<Worktree> {
    const branch = begin + thread;
    const path = existsSync(join(this.#folder(thread), '.git')) ? `.mailroom/worktrees/${thread}` : null;
    const [changes, ahead] = await Promise.all([
      path === null ? null : changedFiles({ workspace: this.#folder(thread), base: 'HEAD' }, everything),
      this.#git(['rev-list', '--count', `HEAD..${branch}`]),
    ]);
    const uncommitted = changes === null ? 0 : changes.ok ? changes.changed.length : null;
    const unmerged = ahead.exitCode === 0 ? Number(ahead.stdout.trim()) : null;
    return { thread, branch, path, uncommitted, unmerged };
  }

  /**
   * Merges a thread's branch into the branch that is checked out in the project, then removes its
   * checkout and branch.
   */
  async merge(thread: string, subject: string): Promise<void> {
    await this.#mustNotMerge();
    await this.#keep(thread, subject);
    const branch = begin + thread;
    const merged = await this.#git(['merge', '--no-ff', '-m', `Merge ${branch}: ${subject}`, branch]);
    if (merged.exitCode !== 0) {
      const files = await this.#git(['diff', '--name-only', '--diff-filter=U']);
      await this.#git(['merge', '--abort']);
      const conflicts = files.stdout.trim().replaceAll('\n', ', ');
      const why = conflicts === '' ? whyGitFailed(merged) : `these conflict: ${conflicts}`;
      const hint = `nothing was changed; \`git merge ${branch}\` by hand, then \`mailroom worktree remove\``;
      throw new MailroomError('E_REFUSED', `${branch} cannot be merged: ${why}`, hint);
    }
    await this.#removeCheckout(thread);
    await this.#must(['branch', '-d', branch]);
  }

  /** Removes the checkout of a thread. Its branch stays, with all changes. */
  async remove(thread: string, subject: string): Promise<void> {
    await this.#keep(thread, subject);
    await this.#removeCheckout(thread);
  }

  /** A merge that the user has begun would be completed together with Mailroom's. */
  async #mustNotMerge(): Promise<void> {
    const begun = await this.#git(['rev-parse', '--verify', '--quiet', 'MERGE_HEAD']);
    if (begun.exitCode !== 0) return;
    const hint = 'end it with `git commit` or `git merge --abort`, then try again';
    throw new MailroomError('E_REFUSED', 'a merge is under way in the project', hint);
  }

  /** Commits the files of the checkout, so that the branch contains them. */
  async #keep(thread: string, subject: string): Promise<void> {
    const folder = this.#folder(thread);
    if (!existsSync(join(folder, '.git'))) return;
    await mustHoldNoRepository(folder);
    await this.#must(['add', '-A'], folder);
    const clean = await this.#git(['diff', '--cached', '--quiet'], folder);
    if (clean.exitCode === 0) return;
    await this.#must(['commit', '-q', '-m', subject], folder);
  }

  async #removeCheckout(thread: string): Promise<void> {
    if (!existsSync(join(this.#folder(thread), '.git'))) return;
    // Not forced: that would lose a change made just now.
    await this.#must(['worktree', 'remove', this.#folder(thread)]);
  }

  #folder(thread: string): string {
    return join(this.#project, '.mailroom', 'worktrees', thread);
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

/** Git would run programs that a nested repository configures, and commit only its name. */
async function mustHoldNoRepository(folder: string): Promise<void> {
  const args = ['ls-files', '--stage', '--others', '--exclude-standard', '-z'];
  const listed = await git(args, { cwd: folder, maxOutputBytes: listBytes });
  if (listed.exitCode !== 0)
    throw new MailroomError('E_REFUSED', `git ls-files failed: ${whyGitFailed(listed)}`);
  const inner = listed.stdout
    .split('\0')
    .flatMap((entry) =>
      entry.startsWith('160000 ') ? pathOf(entry) : entry.endsWith('/') ? entry.slice(0, -1) : [],
    )
    .find((path) => existsSync(join(folder, path, '.git')));
  if (inner === undefined) return;
  const hint = `move it out of ${folder}, with what you want to keep of it, then try again`;
  throw new MailroomError('E_REFUSED', `a repository of its own lies in the checkout: ${inner}`, hint);
}
