import { join, relative } from 'node:path';
import { existsOnDisk, RealDisk } from '../disk/real-disk.ts';
import { git, whyGitFailed, type GitOptions } from '../git/git.ts';
import { headBranch } from '../git/head-branch.ts';
import { makeProjectFolder } from '../host/project-folder.ts';
import { orElse } from '../kernel/contained.ts';
import { enumerate } from '../kernel/enumerate.ts';
import { MailroomError } from '../kernel/errors.ts';
import { shellWord } from '../kernel/quoting.ts';
import { startItself, type Itself } from '../process/supervision/itself.ts';
import { applySettings, type Setting } from './compare-settings.ts';
import { ProblemsError } from './definition/problems.ts';
import { Project } from './project.ts';
import type { Surroundings } from './definition/definition.ts';

/** A clone of the repository in which the task is done, and the branch that gets its work. */
interface Side {
  readonly name: 'a' | 'b';
  readonly branch: string;
  readonly project: Project;
}

/** The difference of a side's work from the commit that both began with. */
interface Changes {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** What holds no work of a task: settings and mail. */
const notWork = ['agents', 'agents.yaml', 'mailroom.yaml', 'protocols', 'workflows'];

const sideNames = ['a', 'b'] as const;

/** Two clones of a project's repository, which share nothing with it. */
export class Comparison {
  /** Relative to the project. */
  readonly folder: string;
  readonly branches: readonly string[];
  readonly #project: Project;
  readonly #surroundings: Surroundings;

  constructor(project: Project, name: string, surroundings: Surroundings) {
    this.#project = project;
    this.#surroundings = surroundings;
    this.folder = `.mailroom/compare/${name}`;
    this.branches = sideNames.map((side) => `compare/${name}-${side}`);
  }

  /** The commands that remove all of it. */
  get removal(): string {
    const path = shellWord(join(this.#project.root, this.folder));
    return `rm -rf ${path}; git branch -D ${this.branches.join(' ')}`;
  }

  /**
   * Makes both sides of the last commit, with their settings. Throws `E_REFUSED` where the last
   * commit is not what the project is, or an earlier comparison has this name; `E_USAGE`, and the
   * problems of the settings. Nothing is left then.
   */
  async prepare(settings: readonly (readonly Setting[])[]): Promise<readonly Side[]> {
    const begun = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: this.#project.root });
    if (begun.exitCode !== 0)
      throw new MailroomError(
        'E_REFUSED',
        'the project is not in a git repository with a commit, which both sides begin with',
        '`git init`, `git add --all` and `git commit` make one',
      );
    await this.#mustBeNew();
    await this.#mustBeClean();
    try {
      const sides = [];
      for (const [index, name] of sideNames.entries())
        sides.push(await this.#side(name, this.branches[index] ?? name, settings[index] ?? []));
      return sides;
    } catch (error) {
      this.#project.disk.remove(this.folder);
      throw error;
    }
  }

  /**
   * Merges what the roles of a side have in worktrees, commits its work, and takes it over as the
   * side's branch. `left`: branches of the clone that could not be merged.
   */
  async take({
    branch,
    project,
  }: Side): Promise<{ readonly changes: Changes; readonly left: readonly string[] }> {
    const left: string[] = [];
    await this.#commit(project, `Work of ${branch}`);
    for (const owner of await project.worktrees.list())
      if (owner.uncommitted !== 0 || owner.unmerged !== 0)
        try {
          await project.worktrees.merge(owner, branch);
        } catch (error) {
          if (!(error instanceof MailroomError)) throw error;
          left.push(owner.branch);
        }
    const from = await topOf(project.root);
    await this.#git(['fetch', '--quiet', '--no-tags', from, `HEAD:refs/heads/${branch}`], { fetches: true });
    const diff = await this.#git(['diff', '--numstat', `HEAD...refs/heads/${branch}`]);
    const rows = diff.split('\n').filter((row) => row !== '');
    const sum = (column: number) =>
      rows.reduce((total, row) => total + (Number(row.split('\t')[column]) || 0), 0);
    return { changes: { files: rows.length, added: sum(0), removed: sum(1) }, left };
  }

  async #mustBeNew(): Promise<void> {
    const { root } = this.#project;
    const refs = await this.#git(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/compare/']);
    const branches = refs.split('\n').filter((branch) => this.branches.includes(branch));
    const isThere = existsOnDisk(join(root, this.folder), 'folder');
    if (!isThere && branches.length === 0) return;
    const inside = relative(await topOf(root), root);
    const working = sideNames.flatMap((side) => {
      const path = join(root, this.folder, side, inside);
      const holder = orElse(() => Project.at(path, this.#surroundings).holder(), null);
      return holder === null ? [] : [`process ${String(holder.pid)} works in ${side}`];
    });
    const parts = [...(isThere ? [this.folder] : []), ...branches];
    throw new MailroomError(
      'E_REFUSED',
      `an earlier comparison has left ${enumerate(parts)}${working.length === 0 ? '' : `, and ${working.join(' and ')}`}`,
      `${working.length === 0 ? '' : 'end it; then '}remove it with \`${this.removal}\`, or choose another --name`,
    );
  }

  /** What is not committed would be on neither side. */
  async #mustBeClean(): Promise<void> {
    const status = await this.#git(['status', '--porcelain', '-z', '--untracked-files=all']);
    const paths = status.split('\0').filter((entry) => entry !== '');
    if (paths.length === 0) return;
    const some = paths.slice(0, 3).map((entry) => entry.replace(/^.. /, ''));
    const more = paths.length > some.length ? ` and ${String(paths.length - some.length)} more` : '';
    throw new MailroomError(
      'E_REFUSED',
      `not committed: ${some.join(', ')}${more}`,
      'both sides begin with the last commit: commit it, `git stash -u`, or let git ignore it',
    );
  }

  async #side(name: Side['name'], branch: string, settings: readonly Setting[]): Promise<Side> {
    const { root } = this.#project;
    const top = await topOf(root);
    const clone = join(root, this.folder, name);
    makeProjectFolder(clone);
    const here = headBranch(root);
    const head = (here === 'none' ? null : here.branch) ?? 'compared';
    // Outside of the project's repository, which git would take for that of the clone.
    await must(['init', '--quiet', clone], { cwd: '/' });
    const own = ['^refs/heads/mailroom-*', '^refs/heads/mailroom/*', '^refs/heads/compare/*'];
    const refs = ['+HEAD:refs/compared', '+refs/heads/*:refs/heads/*', ...own];
    await must(['fetch', '--quiet', '--update-head-ok', top, ...refs], { cwd: clone, fetches: true });
    await must(['checkout', '--quiet', '--force', '-B', head, 'refs/compared'], { cwd: clone });
    for (const key of ['user.name', 'user.email']) {
      const { stdout } = await git(['config', '--get', key], { cwd: root });
      if (stdout.trim() !== '') await must(['config', key, stdout.trim()], { cwd: clone });
    }
    const disk = new RealDisk(join(clone, relative(top, root)));
    const written = await this.#project.definition();
    if (!written.ok) throw new ProblemsError(written.problems);
    const changed = applySettings(disk, written.value, settings);
    const tracked = await must(['ls-files', '-z', '--', ...changed], { cwd: disk.root });
    const files = tracked.split('\0').filter((file) => file !== '');
    // An agent's own `git commit -a` leaves them out.
    if (files.length > 0) await must(['update-index', '--skip-worktree', '--', ...files], { cwd: disk.root });
    const project = Project.at(disk.root, this.#surroundings);
    const definition = await project.definition();
    if (!definition.ok) throw new ProblemsError(definition.problems);
    return { name, branch, project };
  }

  async #commit({ root }: Project, subject: string): Promise<void> {
    await must(['add', '-A', ':/'], { cwd: root });
    await must(['reset', '--quiet', '--', ...notWork], { cwd: root });
    const staged = await git(['diff', '--cached', '--quiet'], { cwd: root });
    if (staged.exitCode === 0) return;
    const named = await git(['var', 'GIT_COMMITTER_IDENT'], { cwd: root });
    const nameless = { name: 'Mailroom', email: 'mailroom@localhost' };
    const identity = named.exitCode === 0 ? {} : { identity: nameless };
    await must(['commit', '--quiet', '--no-verify', '-m', subject], { cwd: root, ...identity });
  }

  #git(args: readonly string[], options: Partial<GitOptions> = {}): Promise<string> {
    return must(args, { cwd: this.#project.root, ...options });
  }
}

/** Runs a command of this program in a side. */
export function runIn({ project: { root } }: Side, args: readonly string[]): Itself {
  return startItself(['-C', root, ...args], root);
}

async function topOf(folder: string): Promise<string> {
  return (await must(['rev-parse', '--show-toplevel'], { cwd: folder })).trim();
}

/** Minutes, for a large repository. */
const patience = 600_000;

/** The output of git. Throws `E_REFUSED`. */
async function must(args: readonly string[], options: GitOptions): Promise<string> {
  const result = await git(args, { timeoutMs: patience, ...options });
  if (result.exitCode === 0) return result.stdout;
  throw new MailroomError('E_REFUSED', `git ${args[0] ?? ''} failed: ${whyGitFailed(result)}`);
}
