import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { checkoutBranch } from '../../kernel/work.ts';
import { entriesOf, foldersIn } from './guarded-places.ts';
import { isAbove } from './program-paths.ts';
import { textOf, type KnownRepository } from './repository-place.ts';

/*
 * What a process may write in a repository: what its own commits need. What decides what git runs,
 * or where another branch stands, is read-only for everybody.
 */

/** Paths in a repository, absolute. */
interface GitPlaces {
  readonly writable: readonly string[];
  /** Read-only inside writable folders. */
  readonly held: readonly string[];
}

interface GitAccess {
  /** Absolute. */
  readonly project: string;
  /** Whether the process may commit. */
  readonly commits: boolean;
  readonly isProtected: (branch: string) => boolean;
}

/** A repository with one of its working trees; `top` null: it has none. */
interface Place {
  readonly git: string;
  readonly own: string;
  readonly top: string | null;
}

/** What a process may write of the repository that its workspace lies in, and of its submodules. */
export function gitPlaces(repository: KnownRepository, access: GitAccess): GitPlaces {
  const modules = modulesIn(join(repository.git, 'modules')).map((git): Place => {
    return { git, own: git, top: workingTreeOf(git) };
  });
  const all: readonly Place[] = [repository, ...modules];
  const links = modules.flatMap(({ top }) => (top === null ? [] : [join(top, '.git')]));
  const configured = all.flatMap(configuredIn);
  if (!access.commits) return { writable: [], held: [...links, ...configured] };
  const places = all.map((each) => committing(each, access));
  return {
    writable: places.flatMap(({ writable }) => writable),
    held: [...links, ...configured, ...places.flatMap(({ held }) => held)],
  };
}

/**
 * Names in the folder of a repository that decide what git runs, where it reads, or where branches
 * stand. They are kept if they are missing, so that no agent can create them.
 */
const deciding = [
  'HEAD',
  'branches',
  'commondir',
  'config',
  'config.worktree',
  'hooks',
  'info',
  'logs',
  'modules',
  'packed-refs',
  'refs',
  'remotes',
  'shallow',
  'worktrees',
];

/** The same in git's folder for a linked working tree, which has only these. */
const decidingLinked = ['commondir', 'config.worktree', 'gitdir', 'modules'];

/** Found objects stay: packs, other places of objects, and what is known of commits. */
const decidingObjects = ['info', 'pack'];

function committing(place: Place, { project, isProtected }: GitAccess): GitPlaces {
  const { git, own, top } = place;
  const isLinked = own !== git;
  const ours = top === null ? null : ownBranch(project, top);
  // In a checkout that people use as well, only they decide which branch it is on.
  const names = isLinked ? [...decidingLinked, ...(ours === null ? ['HEAD'] : [])] : deciding;
  const tables = entriesOf(git).filter(({ name }) => name === 'reftable');
  const held = [
    ...[...names, ...tables.map(({ name }) => name)].map((name) => join(own, name)),
    ...decidingObjects.map((name) => join(git, 'objects', name)),
  ];
  const branch = ours ?? /^ref: refs\/heads\/(.+)$/m.exec(textOf(join(own, 'HEAD')))?.[1];
  const writable = [own, join(git, 'objects'), ...[join(git, 'lfs')].filter((path) => existsSync(path))];
  const logs = isLinked ? [] : [logOf(git, 'HEAD')];
  if (branch === undefined || isProtected(branch)) return { writable: [...writable, ...logs], held };
  const folder = join(git, 'refs', 'heads', dirname(branch));
  // Git removes it when it packs its last branch.
  makeFolder(folder);
  return {
    writable: [...writable, ...logs, folder, logOf(git, join('refs', 'heads', branch))],
    held: [...held, ...otherBranches(git, branch)],
  };
}

/** The branch of a checkout that Mailroom made; null: another one. Its HEAD is the agent's. */
function ownBranch(project: string, top: string): string | null {
  const name = relative(join(project, '.mailroom', 'worktrees'), top);
  if (name === '' || name.includes('/') || name.startsWith('..')) return null;
  return checkoutBranch(name);
}

/**
 * The entries beside a branch in its folder: branches, also packed ones, and folders of branches.
 * An empty folder in the place of a packed branch is none to git.
 */
function otherBranches(git: string, branch: string): string[] {
  const folder = dirname(join('refs', 'heads', branch));
  const found = entriesOf(join(git, folder)).map(({ name }) => name);
  const packed = [...textOf(join(git, 'packed-refs')).matchAll(/^[0-9a-f]+ (.+)$/gm)]
    .map((match) => relative(folder, match[1]!).split('/')[0]!)
    .filter((name) => name !== '..');
  // A branch of this name would keep all checkouts of roles from having one.
  const roles = folder === join('refs', 'heads') ? ['mailroom'] : [];
  const own = relative(folder, join('refs', 'heads', branch));
  return [...new Set([...found, ...packed, ...roles])]
    .filter((name) => name !== own && !name.endsWith('.lock'))
    .map((name) => join(git, folder, name));
}

/** The log of a ref. Git adds lines to it, and would create it in a folder of all logs. */
function logOf(git: string, ref: string): string {
  const path = join(git, 'logs', ref);
  makeFolder(dirname(path));
  makeFile(path);
  return path;
}

/** Hooks and configurations, and what these name of both in the repository and its tree. */
function configuredIn({ git, top }: Place): string[] {
  const [hooks, config] = [join(git, 'hooks'), join(git, 'config')];
  const text = textOf(config);
  const ofTrees = /worktreeConfig/i.test(text)
    ? ['.', ...foldersIn(join(git, 'worktrees')).map((name) => join('worktrees', name))]
    : [];
  // Git would fail on a folder.
  for (const name of ofTrees) makeFile(join(git, name, 'config.worktree'));
  return [
    hooks,
    config,
    ...ofTrees.map((name) => join(git, name, 'config.worktree')),
    ...namedIn(text, git, top),
  ];
}

/** Other files and folders that a configuration names as hooks or as further configuration. */
function namedIn(config: string, git: string, tree: string | null): string[] {
  const hooks = [...config.matchAll(/^\s*hooksPath\s*=\s*"?([^"\n]+?)"?\s*$/gim)];
  const included = [...config.matchAll(/^\s*path\s*=\s*"?([^"\n]+?)"?\s*$/gim)];
  const paths = [
    ...hooks.map((match) => resolve(tree ?? git, match[1]!)),
    ...included.map((match) => resolve(git, match[1]!)),
  ];
  // Agents write in no other folder.
  return paths.filter((path) => isAbove(tree ?? git, path) || isAbove(git, path));
}

/** The repositories of submodules, and of their submodules: a name can have several parts. */
function modulesIn(folder: string): string[] {
  return foldersIn(folder).flatMap((name) => {
    const path = join(folder, name);
    return existsSync(join(path, 'HEAD')) ? [path, ...modulesIn(join(path, 'modules'))] : modulesIn(path);
  });
}

function workingTreeOf(git: string): string | null {
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(join(git, 'config')))?.[1];
  return named === undefined ? null : resolve(git, named);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // An agent cannot write either where this process cannot.
  }
}

function makeFile(path: string): void {
  try {
    if (!existsSync(path)) writeFileSync(path, '', { flag: 'wx' });
  } catch {
    // The same.
  }
}
