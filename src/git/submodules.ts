import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { listBytes, lookedAt, lookIn, pathOf, takeFiles, whyOf } from './git-look.ts';
import { git } from './git.ts';
import { GitProblem } from './refs.ts';
import { treeChanges } from './workspace-tree.ts';

/** The repositories inside of a checkout, by their paths in it. */
interface Inner {
  /** `commit`: the one that the index names. */
  readonly submodules: readonly { readonly path: string; readonly commit: string }[];
  /** Those that its index does not know. */
  readonly others: readonly string[];
}

/** Throws `GitProblem`. */
export async function innerRepositories(folder: string): Promise<Inner> {
  const args = ['ls-files', '--stage', '--others', '--exclude-standard', '-z'];
  const listed = await git(args, { cwd: folder, maxOutputBytes: listBytes });
  if (listed.exitCode !== 0) throw new GitProblem(`git ls-files failed: ${whyOf(listed)}`);
  const entries = listed.stdout.split('\0');
  const isThere = (path: string) => existsSync(join(folder, path, '.git'));
  return {
    submodules: entries
      .filter((entry) => entry.startsWith('160000 '))
      .map((entry) => ({ path: pathOf(entry), commit: entry.split(' ')[1] ?? '' }))
      .filter(({ path }) => isThere(path)),
    others: entries
      .filter((entry) => entry.endsWith('/'))
      .map((entry) => entry.slice(0, -1))
      .filter(isThere),
  };
}

/**
 * Empties the places of submodules that are checked out at another commit than the index names:
 * left as they are, they would be taken for a change back. Those with work of their own stay.
 */
export async function emptyStale(folder: string): Promise<void> {
  const { submodules } = await innerRepositories(folder);
  for (const { path, commit } of submodules) {
    const place = join(folder, path);
    const head = await git(['rev-parse', '--verify', 'HEAD^{commit}'], { cwd: place });
    if (head.stdout.trim() === commit || (await workInside(folder, [{ path }])) !== null) continue;
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
  }
}

/**
 * What the submodules of a checkout have, and no other repository is known to have: changed files,
 * and commits that were not pushed. Null: nothing. Runs no program that they configure. Throws
 * `GitProblem`.
 */
export async function workInside(
  folder: string,
  submodules: readonly { readonly path: string }[],
): Promise<{ readonly path: string; readonly work: string } | null> {
  for (const { path } of submodules) {
    // The project has the commit that it is checked out with.
    const known = await git(['rev-parse', '--verify', '--quiet', `main-worktree/HEAD:${path}`], {
      cwd: folder,
    });
    const work = await ownWork(join(folder, path), known.exitCode === 0 ? known.stdout.trim() : null);
    if (work !== null) return { path: join(path, work.path), work: work.work };
  }
  return null;
}

/** `path`: of the submodule within it that has the work. */
async function ownWork(
  folder: string,
  known: string | null,
): Promise<{ readonly path: string; readonly work: string } | null> {
  const head = await git(['rev-parse', '--verify', 'HEAD^{commit}'], { cwd: folder });
  if (head.exitCode !== 0) throw new GitProblem(`${folder} cannot be looked at: ${whyOf(head)}`);
  const commit = head.stdout.trim();
  const own = (work: string) => ({ path: '', work });
  const [changed] = await changedIn(folder, commit);
  if (changed !== undefined) return own(`\`${changed}\` is not committed there`);
  const isHere = known !== null && (await git(['cat-file', '-e', known], { cwd: folder })).exitCode === 0;
  const elsewhere = ['--not', '--remotes', '--tags', ...(isHere ? [known] : [])];
  const args = ['rev-list', '--max-count=1', commit, '--branches', '--glob=refs/stash*', ...elsewhere];
  const local = await git(args, { cwd: folder });
  if (local.exitCode !== 0) throw new GitProblem(`${folder} cannot be looked at: ${whyOf(local)}`);
  const lost = local.stdout.trim().slice(0, 12);
  if (lost !== '') return own(`its commit ${lost} was not pushed`);
  const { submodules, others } = await innerRepositories(folder);
  if (others[0] !== undefined) return own(`\`${others[0]}\` is a repository of its own there`);
  return workInside(folder, submodules);
}

/** The files that differ from a commit; those that git ignores left out. */
async function changedIn(folder: string, commit: string): Promise<string[]> {
  const place = await lookedAt(folder);
  if (place.is === 'none')
    throw new GitProblem(`${folder} cannot be looked at: ${place.why ?? 'it is gone'}`);
  const tree = await lookIn(place, async (look) => {
    const taken = await takeFiles(look, '--all');
    const written = taken.exitCode === 0 ? await look.git(['write-tree', '--missing-ok']) : taken;
    if (written.exitCode !== 0) throw new GitProblem(`${folder} cannot be read: ${whyOf(written)}`);
    return written.stdout.trim();
  });
  return (await treeChanges(folder, commit, tree))?.map(({ path }) => path) ?? [];
}
