import { closeSync, existsSync, fsync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryFrom } from '../process/sandbox/repository-place.ts';
import { git, whyGitFailed, type GitOptions } from './git.ts';
import { listBytes } from './git-look.ts';
import { changesIn, type TreeChange } from './workspace-tree.ts';

/** Why work in git cannot be done, in words. */
export class GitProblem extends Error {}

/** Makes refs and objects durable before the record that relies on them. */
export const durably: readonly string[] = ['-c', 'core.fsync=reference,loose-object'];

const settings = [
  // Other git processes hold a lock only briefly.
  'core.filesRefLockTimeout=2000',
  'core.packedRefsTimeout=5000',
].flatMap((setting) => ['-c', setting]);

export interface RefChange {
  readonly ref: string;
  /** Null: it is removed. */
  readonly to: string | null;
  /** Where it must be before; null: it must not exist; absent: anywhere. */
  readonly from?: string | null;
}

interface Author {
  readonly name: string;
  readonly email: string;
  readonly date?: string;
}

/** The refs and commits of the repository that a project lies in. Throws `GitProblem`. */
export class Refs {
  readonly #project: string;

  /** `project`: absolute path. */
  constructor(project: string) {
    this.#project = project;
  }

  /** The commit that a name stands for; null: there is none. */
  async find(name: string): Promise<string | null> {
    const [found = null] = await this.findAll([name]);
    return found;
  }

  /** The commits that names stand for, found by one process; null: there is none. */
  findAll(names: readonly string[]): Promise<(string | null)[]> {
    return this.objects(names.map((name) => `${name}^{commit}`));
  }

  /** The same for any objects. */
  async objects(names: readonly string[]): Promise<(string | null)[]> {
    if (names.length === 0) return [];
    // Git reads a name in each line; no name has a line break.
    const stdin = names.map((name) => `${name.replaceAll('\n', ' ')}\n`).join('');
    const found = await this.ask(['cat-file', '--batch-check=%(objectname)'], { stdin });
    const lines = found.split('\n');
    if (lines.length !== names.length)
      throw new GitProblem(`git cat-file printed ${JSON.stringify(found)} for ${names.join(', ')}`);
    return lines.map((line) => (/^[0-9a-f]+$/.test(line) ? line : null));
  }

  /** Moves refs, all or none. False: one of them was not where it was expected. */
  async move(changes: readonly RefChange[], why: string): Promise<boolean> {
    const lines = changes.map(({ ref, to, from }) => {
      if (to === null) return `delete ${ref}\n`;
      // Zeros are git's name for no object.
      return `update ${ref} ${to}${from === undefined ? '' : ` ${from ?? '0'.repeat(to.length)}`}\n`;
    });
    const options = ['--no-deref', '--create-reflog', '-m', why, '--stdin'];
    const moved = await this.#git(['update-ref', ...options], { stdin: lines.join('') });
    if (moved.exitCode === 0) return true;
    for (const { ref, from } of changes)
      if (from !== undefined && (await this.find(ref)) !== from) return false;
    throw new GitProblem(`git update-ref failed: ${whyGitFailed(moved)}`);
  }

  /** Whether the second commit contains the first. */
  async contains(commit: string, inner: string): Promise<boolean> {
    if (commit === inner) return true;
    const answer = await this.#git(['merge-base', '--is-ancestor', inner, commit]);
    if (answer.exitCode === 0 || answer.exitCode === 1) return answer.exitCode === 0;
    throw new GitProblem(`git merge-base failed: ${whyGitFailed(answer)}`);
  }

  /**
   * The commit that the first of two names stands for, and the newest that both contain; base null:
   * none. Null: one of them does not exist.
   */
  async meeting(
    one: string,
    other: string,
  ): Promise<{ readonly one: string; readonly base: string | null } | null> {
    const found = await this.ask(['rev-parse', '--revs-only', `${other}...${one}`]);
    const [commit = '', , base] = found.split('\n');
    return commit === '' ? null : { one: commit, base: base?.slice('^'.length) ?? null };
  }

  /** The object that a name stands for. */
  object(name: string): Promise<string> {
    return this.ask(['rev-parse', '--verify', '--end-of-options', name]);
  }

  /** Makes a commit, durably. `date`, in git's raw format, is that of the author. */
  commit(
    tree: string,
    parents: readonly string[],
    { text, author: { date, ...author } }: { readonly text: string; readonly author: Author },
  ): Promise<string> {
    const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree];
    const env = date === undefined ? {} : { GIT_AUTHOR_DATE: date };
    return this.ask(args, { stdin: text, identity: author, env });
  }

  /** Every file that differs between two commits, by its path from the top of the repository. */
  async changes(before: string, after: string): Promise<TreeChange[]> {
    const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', before, after, '--'];
    return changesIn(await this.ask(args, { maxOutputBytes: listBytes }));
  }

  /** Git's output; throws why it failed. */
  async ask(args: readonly string[], options: Partial<GitOptions> = {}): Promise<string> {
    const result = await this.#git(args, options);
    if (result.exitCode === 0) return result.stdout.trim();
    throw new GitProblem(`git ${args[0] ?? ''} failed: ${whyGitFailed(result)}`);
  }

  #git(args: readonly string[], options: Partial<GitOptions> = {}) {
    return git([...durably, ...settings, ...args], { cwd: this.#project, ...options });
  }
}

/** How many files are synced at once: a disk does several together. */
const atOnce = 8;

/** Syncs objects of a project's repository with their names: git leaves that to the system. */
export async function makeDurable(project: string, objects: readonly string[]): Promise<void> {
  if (objects.length === 0) return;
  const repository = repositoryFrom(project);
  if (repository === null) throw new GitProblem(`${project} lies in no repository`);
  const files = objects
    .map((object) => join(repository, 'objects', object.slice(0, 2), object.slice(2)))
    // The others lie in packs, which git syncs itself.
    .filter((file) => existsSync(file));
  const left = [...new Set([...files, ...files.map((file) => dirname(file))])].values();
  const one = async () => {
    for (const path of left) await sync(path);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

const synced = promisify(fsync);

async function sync(path: string): Promise<void> {
  const file = openSync(path, 'r');
  try {
    await synced(file);
  } finally {
    closeSync(file);
  }
}
