import { existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { realPlace, repositoryFrom, textOf } from '../process/sandbox/repository-place.ts';
import { GitProblem } from './refs.ts';

/** What git locks for a moment, in its folder for a checkout. */
const locks = ['index.lock', 'HEAD.lock'];

/**
 * Ties a checkout to its repository again: an agent that works there may have removed the `.git`
 * file, or made it name another repository. `path`: absolute; no agent works there any more. Throws
 * `GitProblem` where a repository of its own lies there.
 */
export function anchorCheckout(project: string, path: string): void {
  const own = join(repositoryFrom(project) ?? '', 'worktrees', basename(path));
  const git = join(path, '.git');
  const isOurs = [git, join(realPlace(path), '.git')].includes(textOf(join(own, 'gitdir')).trim());
  if (!isOurs || !existsSync(path)) return;
  // A git that was killed leaves them, and every later one would refuse to work.
  for (const lock of locks.map((name) => join(own, name)))
    if (existsSync(lock)) rmSync(lock, { force: true });
  const found = lstatSync(git, { throwIfNoEntry: false });
  if (found?.isDirectory() === true)
    throw new GitProblem(
      `\`${git}\` is a repository of its own in the place of a checkout: move it elsewhere, then try again`,
    );
  const named = found?.isFile() === true ? /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1] : undefined;
  if (named !== undefined && realPlace(resolve(path, named)) === realPlace(own)) return;
  const draft = join(own, 'mailroom.git');
  writeFileSync(draft, `gitdir: ${own}\n`);
  // Replaces a link, too, and does not follow it.
  renameSync(draft, git);
}
