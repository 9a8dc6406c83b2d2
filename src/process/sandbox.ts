import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readPlainFile } from './plain-file.ts';
import { isAbove, programPaths } from './program-paths.ts';
import type { Containment, Reach } from './types.ts';

/** What says who may do what, and what was said: nobody's to change from inside a sandbox. */
const RULES = ['.mailroom', 'agents', 'protocols', 'mailroom.yaml'];

/** The key by which the project signs: nobody's to read. */
const SECRET = join('.mailroom', 'nostr.key');

/** Of a repository: what a person's own git would run, later and outside. */
const RUN_BY_GIT = ['hooks', 'config'];

/**
 * The sandbox that holds a process to its reach: the workspace is writable with a right beyond READ (tests write what they
 * build), the repository's own folder only with RUN_COMMANDS, what is owed and given always, the rest of the project is
 * there to be read.
 */
export function sandboxFor(
  reach: Reach,
  { project, nests }: { readonly project: string; readonly nests: boolean },
): Extract<Containment, { kind: 'bubblewrap' }> {
  const { workspace, capabilities, owed } = reach;
  const changes = capabilities === null || capabilities.some((right) => right !== 'READ');
  const commands = capabilities === null || capabilities.includes('RUN_COMMANDS');
  const repository = repositoryOf(workspace, resolve(reach.env['HOME'] ?? '/'));
  const git = repository === null ? [] : [repository.git];
  const readable = [
    project,
    workspace,
    // Of a linked working tree `.git` is a file: whoever could change it would name another repository.
    ...(repository === null ? [] : [repository.top, join(repository.top, '.git')]),
    ...git,
    ...git.flatMap((folder) => RUN_BY_GIT.map((name) => join(folder, name))),
    ...RULES.map((name) => join(project, name)),
    ...programPaths(reach),
    ...reach.guarded,
  ];
  const writable = [...(changes ? [workspace] : owed), ...(commands ? git : []), ...reach.writable];
  const names = [...readable, ...writable];
  return {
    kind: 'bubblewrap',
    readable: readable.flatMap((path) => placesOf(path, names)),
    writable: writable.flatMap((path) => placesOf(path, names)),
    hidden: placesOf(join(project, SECRET), names).filter((path) => existsSync(path)),
    network: reach.network,
    nests,
  };
}

/**
 * Where a path is to be shown: at its real place, since no sandbox can put anything behind a link that it shows; and under
 * its own name, where that leads through nothing else that is shown.
 */
function placesOf(path: string, names: readonly string[]): string[] {
  const real = realPlace(path);
  if (real === path) return [path];
  const shown = names.some((name) => name !== path && isAbove(name, path));
  return shown ? [real] : [real, path];
}

function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
  }
}

/** The working tree that a folder lies in, and the folder of its repository; null outside git, or if all of `home` is one. */
function repositoryOf(from: string, home: string): { readonly top: string; readonly git: string } | null {
  for (let top = from; !isAbove(top, home); top = dirname(top)) {
    const git = join(top, '.git');
    const kind = statSync(git, { throwIfNoEntry: false });
    if (kind?.isDirectory() === true) return { top, git };
    if (kind?.isFile() === true) {
      const named = repositoryNamedIn(git, top);
      return named === null ? null : { top, git: named };
    }
  }
  return null;
}

/**
 * The repository that a `.git` file names. An agent can write such a file, so it counts only where the repository names the
 * working tree, too: as one that is linked to it, or as that of a submodule. Null: it does not.
 */
function repositoryNamedIn(file: string, top: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(textOf(file))?.[1];
  if (named === undefined) return null;
  const own = realPlace(resolve(top, named));
  const is = (path: string | undefined, place: string) =>
    path !== undefined && realPlace(resolve(own, path)) === realPlace(place);
  if (basename(dirname(own)) === 'worktrees' && is(textOf(join(own, 'gitdir')).trim(), file))
    return dirname(dirname(own));
  const tree = /^\s*worktree = (.+)$/m.exec(textOf(join(own, 'config')))?.[1];
  return is(tree, top) ? own : null;
}

/** Empty where there is none. */
function textOf(file: string): string {
  try {
    return readPlainFile(file) ?? '';
  } catch {
    return '';
  }
}
