import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isAbove, programPaths } from './program-paths.ts';
import { realPlace, repositoryOf } from './repository-place.ts';
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
