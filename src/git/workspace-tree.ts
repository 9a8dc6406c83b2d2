import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { lookAt, takeFiles, trackedIn, whyOf, type GitLook } from './git-look.ts';
import { git, whyGitFailed } from './git.ts';
import { checkoutBranch, threadBranch } from '../kernel/work.ts';
import { repositoryFrom } from '../process/sandbox/repository-place.ts';

/**
 * Identifies the present content of a folder: a git tree of its tracked and untracked files,
 * without ignored ones. Null outside git. Leaves the user's index and working tree unchanged and
 * runs no program that the repository configures.
 */
export async function workspaceTree(workspace: string): Promise<string | null> {
  return (await noteTree(workspace)).tree;
}

/** `problem`: why git has no tree; null if it has one, or the folder lies outside git. */
interface NotedTree {
  readonly tree: string | null;
  readonly problem: string | null;
  /** Folders that git cannot read and skips, relative to the folder; each ends in a slash. */
  readonly closed: readonly string[];
  /** Those of these paths, relative to the folder, that git did not track. */
  readonly untracked: (paths: readonly string[]) => string[];
}

/** Like `workspaceTree`, with the reason why there is no tree. */
export async function noteTree(workspace: string): Promise<NotedTree> {
  let refused: string | null = null;
  const note = async (look: GitLook): Promise<NotedTree> => {
    let index = '';
    const added = await takeFiles(look, '--all', (listed) => (index = listed));
    const untracked = (paths: readonly string[]) => {
      const [tracked, prefix] = [trackedIn(index), relative(look.top, realpathSync(workspace))];
      return paths.filter((path) => !tracked.has(join(prefix, path)));
    };
    // In a partial clone, objects of unchanged files may be missing.
    const written = added.exitCode === 0 ? await look.git(['write-tree', '--missing-ok']) : added;
    if (written.exitCode !== 0) return { tree: null, problem: whyOf(written), closed: [], untracked };
    return {
      tree: written.stdout.trim(),
      problem: null,
      closed: closedFolders(look.top, workspace, added.stderr),
      untracked,
    };
  };
  const noted = await lookAt(workspace, note, (why) => (refused = why));
  return noted ?? { tree: null, problem: refused, closed: [], untracked: () => [] };
}

/** From git's warnings, whose paths start at the top. */
function closedFolders(top: string, workspace: string, warnings: string): string[] {
  const found = [...warnings.matchAll(/^warning: could not open directory '(.*?)': /gms)];
  return found.map((match) => `${relative(realpathSync(workspace), join(top, match[1]!))}/`);
}

/** A file, or a folder, that differs between two trees, as `git diff-tree --raw` prints it. */
export interface TreeChange {
  /** `A`: added; `D`: deleted. */
  readonly how: string;
  /** The mode and object before and after; zeros: none. */
  readonly wasMode: string;
  readonly was: string;
  readonly object: string;
  readonly mode: string;
  readonly path: string;
}

/**
 * The differences below the workspace between two of its trees; paths start at the top of the
 * repository. `folders`: also of the folders that they lie in. Null: git cannot compare them.
 */
export async function treeChanges(
  workspace: string,
  before: string,
  after: string,
  { folders = false } = {},
): Promise<TreeChange[] | null> {
  const args = [
    'diff-tree',
    '-r',
    ...(folders ? ['-t'] : []),
    '-z',
    '--no-renames',
    '--raw',
    before,
    after,
    '--',
    '.',
  ];
  const result = await git(args, { cwd: workspace });
  return result.exitCode === 0 ? changesIn(result.stdout) : null;
}

/** The changes that `git diff-tree --raw -z` has printed. */
export function changesIn(printed: string): TreeChange[] {
  const words = printed.split('\0');
  return words.flatMap((path, index) => {
    const [old = '', mode = '', was = '', object = '', how = ''] = words[index - 1]?.split(' ') ?? [];
    return index % 2 === 1 ? [{ how, wasMode: old.slice(1), was, object, mode, path }] : [];
  });
}

/**
 * The paths, relative to the workspace, that differ between two of its trees; null: git cannot
 * compare them.
 */
export async function changedPaths(
  workspace: string,
  before: string,
  after: string,
): Promise<string[] | null> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--relative', before, after];
  const result = await git(args, { cwd: workspace });
  return result.exitCode === 0 ? result.stdout.split('\0').filter((path) => path !== '') : null;
}

/**
 * Makes the git worktree of a thread if it does not exist: a checkout of the project's HEAD on the
 * branch `mailroom-<thread>`. Returns an error message or null.
 */
export function ensureWorktree(project: string, path: string, thread: string): Promise<string | null> {
  return inTurn(project, () => {
    repairWorktrees(project);
    return makeWorktree(project, path, thread);
  });
}

/**
 * Repairs worktrees of the project that lack what git wrote last before a power failure: an empty
 * `commondir` ends every git command about worktrees. Each file has only one possible value.
 */
export function repairWorktrees(project: string): void {
  const repository = repositoryFrom(project);
  if (repository === null) return;
  const folder = join(repository, 'worktrees');
  for (const name of namesIn(folder)) fillEmpty(join(folder, name, 'commondir'), '../..\n');
  const checkouts = join(project, '.mailroom', 'worktrees');
  for (const name of namesIn(checkouts)) {
    // Git names a worktree after the folder of its checkout.
    const own = join(folder, name);
    fillEmpty(join(checkouts, name, '.git'), `gitdir: ${own}\n`);
    fillEmpty(join(own, 'gitdir'), `${join(checkouts, name, '.git')}\n`);
    fillEmpty(join(own, 'HEAD'), `ref: refs/heads/${checkoutBranch(name)}\n`);
    // Git makes it again, of the files.
    if (isEmpty(join(own, 'index'))) rmSync(join(own, 'index'));
  }
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function isEmpty(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.size === 0;
}

/** Never follows a link: an agent could have put it there. */
function fillEmpty(path: string, text: string): void {
  if (!isEmpty(path)) return;
  const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > 0) return;
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** By project: the last change of its list of worktrees. */
const changing = new Map<string, Promise<unknown>>();

/**
 * Does work that changes the list of a project's worktrees after all such work that was given
 * before: git reads worktrees that another git process has half made, and fails.
 */
export function inTurn<T>(project: string, work: () => Promise<T>): Promise<T> {
  const done = (changing.get(project) ?? Promise.resolve()).then(work, work);
  changing.set(project, done);
  return done;
}

async function makeWorktree(project: string, path: string, thread: string): Promise<string | null> {
  if (existsSync(join(path, '.git'))) return null;
  const branch = threadBranch(thread);
  // A worktree deleted by hand. `prune` would also forget the user's worktrees on disks that are
  // not mounted.
  await git(['worktree', 'remove', '--force', path], { cwd: project });
  const known = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], { cwd: project });
  const args = known.exitCode === 0 ? [path, branch] : ['-b', branch, path, 'HEAD'];
  const made = await git(['worktree', 'add', ...args], { cwd: project, fetches: true });
  return made.exitCode === 0 ? null : `no git worktree for this thread: ${whyGitFailed(made)}`;
}
