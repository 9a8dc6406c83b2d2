import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isAbove, programPaths } from './program-paths.ts';
import { realPlace, repositoryOf, textOf } from './repository-place.ts';
import type { Containment, Reach } from './types.ts';

/** What says who may do what, and what was said: nobody's to change from inside a sandbox. */
const RULES = ['.mailroom', 'agents', 'protocols', 'mailroom.yaml'];

/** The key by which the project signs: nobody's to read. */
const SECRET = join('.mailroom', 'nostr.key');

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
  const run = git.flatMap((folder) => runByGit(folder, commands));
  const readable = [
    project,
    workspace,
    // Of a linked working tree `.git` is a file: whoever could change it would name another repository.
    ...(repository === null ? [] : [repository.top, join(repository.top, '.git')]),
    ...git,
    ...run,
    ...RULES.map((name) => join(project, name)),
    ...programPaths(reach),
    ...reach.guarded,
  ];
  // What is shown by itself cannot be moved away: so is each folder that a configuration lies in.
  const inGit = commands ? [...git, ...run.flatMap((path) => foldersBetween(git[0]!, path))] : [];
  const writable = [...(changes ? [workspace] : owed), ...inGit, ...reach.writable];
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
 * What a person's own git would run, later and outside. Where the rest of the repository can be written, it is made if it is
 * not there: a sandbox can keep only what it shows, and an agent would make it.
 */
function runByGit(git: string, isWritable: boolean): string[] {
  const [hooks, config] = [join(git, 'hooks'), join(git, 'config')];
  const ofTrees = /worktreeConfig/i.test(textOf(config))
    ? ['.', ...worktreesIn(git)].map((tree) => join(git, tree, 'config.worktree'))
    : [];
  if (isWritable) makeAll(hooks, ofTrees);
  return [hooks, config, ...ofTrees];
}

function makeAll(folder: string, files: readonly string[]): void {
  try {
    if (!existsSync(folder)) mkdirSync(folder);
    for (const file of files) if (!existsSync(file)) writeFileSync(file, '', { flag: 'wx' });
  } catch {
    // Where we may not write, neither may an agent.
  }
}

function worktreesIn(git: string): string[] {
  const folder = join(git, 'worktrees');
  return existsSync(folder) ? readdirSync(folder).map((name) => join('worktrees', name)) : [];
}

/** The folders that a path lies in, below another one. */
function foldersBetween(above: string, path: string): string[] {
  const folder = dirname(path);
  return folder === above ? [] : [...foldersBetween(above, folder), folder];
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
