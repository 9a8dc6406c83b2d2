import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { realPlace, repositoryFrom, textOf } from '../process/sandbox/repository-place.ts';

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
  const [place, git] = [realPlace(join(repository, 'worktrees')), join(realPlace(path), '.git')];
  const own = join(place, basename(path));
  const isThere = existsSync(own);
  // Of a checkout that was deleted by hand.
  const isOurs = textOf(join(own, 'gitdir')).trim() === git && !existsSync(join(own, 'locked'));
  if ((isThere && !isOurs) || isTaken(repository, place, basename(path), branch)) return false;
  const draft = join(repository, `mailroom-${basename(path)}`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(join(draft, 'commondir'), '../..\n');
  writeFileSync(join(draft, 'gitdir'), `${git}\n`);
  writeFileSync(join(draft, 'HEAD'), `ref: refs/heads/${branch}\n`);
  mkdirSync(place, { recursive: true });
  mkdirSync(path, { recursive: true });
  if (isThere) rmSync(own, { recursive: true });
  // Other git processes must not see a part of it.
  renameSync(draft, own);
  // It may lie on another file system. `repairWorktrees` fills one that a crash left empty.
  writeFileSync(git, `gitdir: ${own}\n`);
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
